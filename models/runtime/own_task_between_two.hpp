/// A task on a vector core, one that the scheduler runs itself, and one on a vector core again,
/// each of which reads what the former wrote. The scheduler learns that such tasks come while it
/// works. FI-I1, FI-I3, RQ-I3, SD-I1.
#pragma once

#include "models/support/whole_runtime.hpp"

namespace pto2::scenarios {

template <Policy P, template <class> class F>
class OwnTaskBetweenTwo : public WholeRuntime<P, F> {
 public:
  static constexpr std::array reaches{"a consumer is linked", "a consumer is early"};

  OwnTaskBetweenTwo() : WholeRuntime<P, F>({}) {}

 private:
  void submit_graph() override {
    const uint32_t first = this->tensor();
    const uint32_t second = this->tensor();
    this->task({}, first);
    this->task_on(PTO2_WORKER_AI_CPU, {first}, second);
    this->task({second}, this->tensor());
  }
};

}  // namespace pto2::scenarios
