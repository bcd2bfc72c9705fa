/// A task on a vector core, one on the accelerator, and one that the scheduler runs itself, each of
/// which reads what the former wrote. MB-I1, MB-I2, MB-I3, FI-I3.
#pragma once

#include "models/support/whole_runtime.hpp"

namespace pto2::scenarios {

template <Policy P, template <class> class F>
class AcceleratorBetweenTwo : public WholeRuntime<P, F, 1, 1> {
 public:
  static constexpr std::array reaches{"a consumer is linked", "a consumer is early"};

  AcceleratorBetweenTwo() : WholeRuntime<P, F, 1, 1>({}) {}

 private:
  void submit_graph() override {
    const uint32_t first = this->tensor();
    const uint32_t second = this->tensor();
    this->task({}, first);
    this->task_on(PTO2_WORKER_ACCELERATOR, {first}, second);
    this->task_on(PTO2_WORKER_AI_CPU, {second}, this->tensor());
  }
};

}  // namespace pto2::scenarios
