/// Whether anything of the user's goes on in a run whose kernels wait for each other.
#pragma once

#include <cstdint>
#include <span>

#include "runtime/executors/kernel_watch.hpp"

namespace pto2 {

/// Nobody will end a wait if no kernel runs and none begins, nobody announces anything, and the
/// orchestration is in no code of its own: all that is left then is the runtime, which has had
/// ample time for what it does between kernels. In looks and not time, as KernelWatch.
class QuietRun {
 public:
  /// At each look: all threads, and how often kernels have announced something so far. True: all
  /// has been quiet for long.
  bool look(std::span<const executors::KernelState> threads, uint64_t announced) {
    uint64_t begun = announced;
    bool inside = false;
    for (const executors::KernelState& thread : threads) {
      begun += thread.begun;
      inside = inside || thread.inside;
    }
    looks_ = inside || begun != begun_ ? 0 : looks_ + 1;
    begun_ = begun;
    return looks_ >= patience;
  }

  static constexpr uint64_t patience = executors::KernelWatch::patience;

 private:
  uint64_t begun_ = 0;
  uint64_t looks_ = 0;
};

}  // namespace pto2
