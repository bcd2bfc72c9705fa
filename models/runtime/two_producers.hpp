/// One consumer of two tasks on two cores, which may end in any order. FI-I1, FI-I3, TS-I2.
#pragma once

#include "models/support/whole_runtime.hpp"

namespace pto2::scenarios {

template <Policy P, template <class> class F>
class TwoProducers : public WholeRuntime<P, F> {
 public:
  static constexpr std::array reaches{"a consumer is linked", "a consumer is early"};

  TwoProducers() : WholeRuntime<P, F>({}) {}

 private:
  void submit_graph() override {
    const uint32_t left = this->tensor(), right = this->tensor();
    this->task({}, left);
    this->task({}, right);
    this->task({left, right}, this->tensor());
  }
};

}  // namespace pto2::scenarios
