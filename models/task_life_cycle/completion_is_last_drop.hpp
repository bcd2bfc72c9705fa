/// The scope has usually ended before the task completes, so that closing it is the drop that
/// consumes it, and the closer has to advance: the orchestrator waits for its slot. LC-I3, TS-I2.
#pragma once

#include "models/task_life_cycle/graph.hpp"

namespace pto2::scenarios {

template <Policy P, template <class> class F>
class CompletionIsLastDrop : public Graph<P, F, 2> {
 public:
  CompletionIsLastDrop() : Graph<P, F, 2>({.tasks = 3, .window = 2}) {}

  void thread(uint32_t i) {
    if (i != 0) return this->work(i - 1);
    this->submit({});
    this->end_scope(0, 0);
    this->submit({0});
    this->end_scope(1, 1);
    this->submit({1});
    this->end_scope(2, 2);
  }
};

}  // namespace pto2::scenarios
