/// A task, two that read its result on two cores, and one that reads theirs. FI-I1, FI-I3, TS-I2.
#pragma once

#include "models/support/whole_runtime.hpp"

namespace pto2::scenarios {

template <Policy P, template <class> class F>
class Diamond : public WholeRuntime<P, F> {
 public:
  static constexpr std::array reaches{"a consumer is linked", "a consumer is early"};

  Diamond() : WholeRuntime<P, F>({.window = 8}) {}

 private:
  void submit_graph() override {
    const uint32_t top = this->tensor(), left = this->tensor();
    const uint32_t right = this->tensor(), bottom = this->tensor();
    this->task({}, top);
    this->task({top}, left);
    this->task({top}, right);
    this->task({left, right}, bottom);
  }
};

}  // namespace pto2::scenarios
