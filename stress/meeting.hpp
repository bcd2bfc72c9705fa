/// Where the threads of a scenario loop meet: a barrier whose last arrival does something before
/// all go on. std::barrier does the same, but on atomics of the library's own, which valgrind's
/// tools cannot follow.
#pragma once

#include <cstdint>

#include "runtime/executors/machine.hpp"

namespace pto2::scenarios {

class Meeting {
 public:
  explicit Meeting(uint32_t threads) : threads_(threads) {}

  /// Returns once all threads have arrived. The last one calls `before_all_go`, which sees what the
  /// others did before they came, and what it does is seen by all.
  template <class Action>
  void arrive(const Action& before_all_go) {
    const uint32_t round = round_.load(std::memory_order_relaxed);
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == threads_) {
      before_all_go();
      arrived_.store(0, std::memory_order_relaxed);
      round_.store(round + 1, std::memory_order_seq_cst);
      round_.notify_all();
      return;
    }
    for (int look = 0; look < looks_before_sleep; ++look) {
      if (round_.load(std::memory_order_acquire) != round) return;
      executors::spin_turn(static_cast<uint32_t>(look));
    }
    round_.wait(round, std::memory_order_seq_cst);
  }

 private:
  static constexpr int looks_before_sleep = 256;

  uint32_t threads_;
  alignas(cache_line) executors::Machine::atomic<uint32_t> arrived_{0};
  alignas(cache_line) executors::Machine::sleep_word round_{0};
};

}  // namespace pto2::scenarios
