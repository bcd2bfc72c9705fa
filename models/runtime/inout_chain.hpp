/// Three tasks that update one tensor in turn. FI-I3, TS-I3.
#pragma once

#include "models/support/whole_runtime.hpp"

namespace pto2::scenarios {

template <Policy P, template <class> class F>
class InoutChain : public WholeRuntime<P, F> {
 public:
  static constexpr std::array reaches{"a consumer is linked", "a consumer is early"};

  InoutChain() : WholeRuntime<P, F>({}) {}

 private:
  void submit_graph() override {
    const uint32_t updated = this->tensor();
    this->task({}, updated);
    this->task({}, updated);
    this->task({}, updated);
  }
};

}  // namespace pto2::scenarios
