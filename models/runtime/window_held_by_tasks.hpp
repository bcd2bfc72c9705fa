/// The scope of the three tasks that fill the window has ended, so that a fourth is placed once
/// they have run: no execution is a deadlock. SD-I1, SD-I2, SD-I3.
///
/// The graphs with a chain of three.
/// Instances: 5 7
#pragma once

#include "models/support/three_tasks.hpp"

namespace pto2::scenarios {

template <Policy P, template <class> class F, uint32_t edges>
class WindowHeldByTasks : public ThreeTasks<P, F, edges> {
 public:
  static constexpr std::array reaches{"the orchestrator waits", "the orchestrator never waits"};

  WindowHeldByTasks() : ThreeTasks<P, F, edges>(RuntimeShape{}) {}

 private:
  void submit_graph() override {
    this->begin_scope();
    this->submit_three();
    this->end_scope();
    this->task({}, this->tensor());
  }
};

}  // namespace pto2::scenarios
