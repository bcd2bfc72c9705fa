/// A task pops from a pipe to which the next task pushes: the scheduler gives the run up, whatever
/// the orchestrator does meanwhile, and the next task never runs. PI-I1, FA-I1, FA-I2
#pragma once

#include "models/support/whole_runtime.hpp"

namespace pto2::scenarios {

template <Policy P, template <class> class F>
class PipeRunsEmpty : public WholeRuntime<P, F> {
 public:
  static constexpr std::array reaches{"a task does not run"};

  PipeRunsEmpty() : WholeRuntime<P, F>({}, ErrorCode::pipe_underflow) {}

 private:
  void submit_graph() override {
    const int32_t cluster = this->allocate_cluster();
    this->popping_task(this->tensor(), cluster, 0);
    this->pushing_task(this->tensor(), cluster);
  }
};

}  // namespace pto2::scenarios
