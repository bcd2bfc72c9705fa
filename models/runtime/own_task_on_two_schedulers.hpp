/// Two schedulers and one task that either may run itself. RQ-I1, SU-I2, SU-I3, SD-I1.
#pragma once

#include "models/support/whole_runtime.hpp"

namespace pto2::scenarios {

template <Policy P, template <class> class F>
class OwnTaskOnTwoSchedulers : public WholeRuntime<P, F, 2> {
 public:
  static constexpr std::array reaches{"a scheduler completes nothing"};

  OwnTaskOnTwoSchedulers() : WholeRuntime<P, F, 2>({}) {}

 private:
  void submit_graph() override { this->task_on(PTO2_WORKER_AI_CPU, {}, this->tensor()); }
};

}  // namespace pto2::scenarios
