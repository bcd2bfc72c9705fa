/// Each task takes the slot of the one before the last, whose completer may still be at work.
/// LC-I1, TR-I1, TR-I2, TR-I3, TW-I4, FL-I2, AD-I3.
#pragma once

#include "models/support/graph.hpp"

namespace pto2::scenarios {

template <Policy P, template <class> class F>
class SlotReuse : public Graph<P, F, 2> {
 public:
  static constexpr std::array reaches{"a slot is recycled", "closing is the last drop",
                                      "the scope's drop is the last",
                                      "the orchestrator looks again"};

  SlotReuse() : Graph<P, F, 2>({.tasks = 3, .window = 2}) {}

  void thread(uint32_t i) {
    if (i != 0) return this->work(i - 1);
    for (uint32_t task = 0; task < 3; ++task) {
      this->submit({});
      this->end_scope(task, task);
    }
  }
};

}  // namespace pto2::scenarios
