/// Two schedulers, each with a block of its own, and two tasks: either scheduler may run either
/// one, or both. RQ-I1, SU-I2, SU-I3, SD-I1.
#pragma once

#include "models/support/whole_runtime.hpp"

namespace pto2::scenarios {

template <Policy P, template <class> class F>
class TwoSchedulers : public WholeRuntime<P, F, 2> {
 public:
  static constexpr std::array reaches{"every scheduler completes tasks",
                                      "a scheduler completes nothing"};

  TwoSchedulers() : WholeRuntime<P, F, 2>({}) {}

 private:
  void submit_graph() override {
    this->task({}, this->tensor());
    this->task({}, this->tensor());
  }
};

}  // namespace pto2::scenarios
