/// Tasks retire in any order while the orchestrator waits for each slot and buffer: whoever
/// consumes a task advances past all that were consumed before it. WM-I1, WM-I2, WM-I3, HR-I2.
#pragma once

#include "models/support/graph.hpp"

namespace pto2::scenarios {

template <Policy P, template <class> class F>
class AdvanceWithRecycling : public Graph<P, F, 2> {
 public:
  static constexpr uint32_t tasks = sized<P>(4, 8);
  static constexpr uint32_t units = sized<P>(2, 3);

  static constexpr std::array reaches{"an advance is lost to another thread", "the heap wraps"};

  AdvanceWithRecycling() : Graph<P, F, 2>({.tasks = tasks, .window = 8, .heap_units = units}) {}

  void thread(uint32_t i) {
    if (i != 0) return this->work(i - 1);
    for (uint32_t task = 0; task < tasks; ++task) {
      this->submit({});
      this->end_scope(task, task);
    }
  }
};

}  // namespace pto2::scenarios
