/// Tasks without edges complete in any order on two workers, and the window comes round: whoever
/// closed a task, lost an advance or is about to unlock may meet the slot's next task. LC-I1,
/// FL-I1, TR-I1, WM-I2.
#pragma once

#include "models/support/graph.hpp"

namespace pto2::scenarios {

template <Policy P, template <class> class F>
class OutOfOrderReuse : public Graph<P, F, 2> {
 public:
  static constexpr std::array reaches{"a slot is recycled", "an advance is lost to another thread"};

  OutOfOrderReuse() : Graph<P, F, 2>({.tasks = 5, .heap_units = 6}) {}

  void thread(uint32_t i) {
    if (i != 0) return this->work(i - 1);
    for (uint32_t task = 0; task < 5; ++task) {
      this->submit({});
      this->end_scope(task, task);
    }
  }
};

}  // namespace pto2::scenarios
