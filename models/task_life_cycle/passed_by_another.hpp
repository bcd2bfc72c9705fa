/// A worker (role 1) that has passed its task looks at the next one, which the other worker (role
/// 2) has consumed; that one passes it and its next task, and the slot comes round. TR-I1, WM-I1,
/// WM-I2.
#pragma once

#include "models/support/graph.hpp"

namespace pto2::scenarios {

template <Policy P, template <class> class F>
class PassedByAnother : public Graph<P, F, 2> {
 public:
  static constexpr uint32_t tasks = 6;
  static constexpr std::array reaches{"a slot is recycled", "an advance is lost to another thread"};

  PassedByAnother() : Graph<P, F, 2>({.tasks = tasks, .heap_units = 7}) {}

  void thread(uint32_t i) {
    if (i == 1) return this->run_and_complete(0, 0);
    for (uint32_t task = 0; task < tasks; ++task) {
      if (i == 0) {
        this->submit({});
        this->end_scope(task, task);
      } else if (task != 0) {
        this->run_and_complete(task, 1);
      }
    }
  }
};

}  // namespace pto2::scenarios
