/// The chip of a policy on which nothing fails but what the machine itself lets fail. It costs
/// nothing: all of it is known when the code is compiled.
#pragma once

#include "runtime/executors/chip_fault.hpp"

namespace pto2::executors {

struct SoundChip {
  static void chip_step(ChipStep) {}
  [[nodiscard]] static constexpr bool answers_again() { return false; }
  [[nodiscard]] static constexpr bool has_lost_core() { return false; }
  template <class Bell>
  [[nodiscard]] static constexpr bool is_lost(const Bell&) {
    return false;
  }
};

}  // namespace pto2::executors
