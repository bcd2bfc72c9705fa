/// A step of a loop that looks for something soon to come.
#pragma once

namespace pto2::executors {

/// Leaves the processor's units to its other thread for some dozen cycles.
inline void pause() {
  __builtin_ia32_pause();
}

}  // namespace pto2::executors
