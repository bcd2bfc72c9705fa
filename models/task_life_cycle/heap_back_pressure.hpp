/// Pairs whose buffers have different sizes, in a heap that holds less than two pairs and a window
/// that holds more: the heap decides who waits, and a buffer is reused once its reader is done.
/// HR-I1, HR-I2, HR-I3, HR-I4, TS-I2.
#pragma once

#include "models/support/graph.hpp"

namespace pto2::scenarios {

template <Policy P, template <class> class F>
class HeapBackPressure : public Graph<P, F, 2> {
 public:
  static constexpr uint32_t pairs = sized<P>(2, 6);

  static constexpr std::array reaches{"the orchestrator looks again", "the heap wraps"};

  HeapBackPressure()
      : Graph<P, F, 2>(
            {.tasks = 2 * pairs, .window = 16, .nodes = 16, .heap_units = sized<P>(5, 6)}) {}

  void thread(uint32_t i) {
    if (i != 0) return this->work(i - 1);
    constexpr std::array<uint32_t, 12> units{3, 1, 2, 1, 2, 1, 1, 1, 3, 4, 1, 1};
    for (uint32_t task = 0; task < 2 * pairs; task += 2) {
      this->submit({}, 0, units[task]);
      this->end_scope(task, task);
      this->submit({task}, 0, units[task + 1]);
      this->end_scope(task + 1, task + 1);
    }
  }
};

}  // namespace pto2::scenarios
