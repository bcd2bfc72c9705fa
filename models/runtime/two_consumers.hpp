/// One producer with two consumers on two cores. TS-I3, FI-I3.
#pragma once

#include "models/support/whole_runtime.hpp"

namespace pto2::scenarios {

template <Policy P, template <class> class F>
class TwoConsumers : public WholeRuntime<P, F> {
 public:
  static constexpr std::array reaches{"a consumer is linked", "a consumer is early"};

  TwoConsumers() : WholeRuntime<P, F>({}) {}

 private:
  void submit_graph() override {
    const uint32_t shared = this->tensor();
    this->task({}, shared);
    this->task({shared}, this->tensor());
    this->task({shared}, this->tensor());
  }
};

}  // namespace pto2::scenarios
