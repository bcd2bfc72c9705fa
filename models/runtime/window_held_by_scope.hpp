/// Three tasks of the outer scope fill the window, and the scope is open, so that a fourth, in a
/// scope inside, can never be placed: each execution ends in the deadlock that it is, whichever of
/// the three have run by then, and everybody returns. SD-I1, SD-I3, SU-I3.
///
/// Instances: 0 1 2 3 4 5 6 7
#pragma once

#include "models/support/three_tasks.hpp"

namespace pto2::scenarios {

template <Policy P, template <class> class F, uint32_t edges>
class WindowHeldByScope : public ThreeTasks<P, F, edges> {
 public:
  WindowHeldByScope() : ThreeTasks<P, F, edges>({}, ErrorCode::flow_control_deadlock) {}

 private:
  void submit_graph() override {
    this->submit_three();
    this->begin_scope();
    this->task({}, this->tensor());
    this->end_scope();
  }
};

}  // namespace pto2::scenarios
