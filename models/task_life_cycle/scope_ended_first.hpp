/// The scope of a pair ends before its tasks complete; slots and buffers are then recycled by
/// further pairs. TS-I2, TS-I4, HR-I1, LC-I4.
#pragma once

#include "models/support/graph.hpp"

namespace pto2::scenarios {

template <Policy P, template <class> class F>
class ScopeEndedFirst : public Graph<P, F, 2> {
 public:
  static constexpr std::array reaches{"the orchestrator looks again",
                                      "a consumer's drop is the last"};
  static constexpr uint32_t tasks = sized<P>(4, 6);

  ScopeEndedFirst() : Graph<P, F, 2>({.tasks = tasks, .heap_units = 3}) {}

  void thread(uint32_t i) {
    if (i != 0) return this->work(i - 1);
    for (uint32_t task = 0; task < tasks; task += 2) {
      this->submit({});
      this->submit({task});
      this->end_scope(task, task + 1);
    }
  }
};

}  // namespace pto2::scenarios
