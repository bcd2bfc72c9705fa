/// A chain over two schedulers: the one that completes the producer may push the consumer to the
/// other. FI-I3, RQ-I1, RQ-I3, WM-I3.
///
/// Explored with: word lock
#pragma once

#include "models/support/whole_runtime.hpp"

namespace pto2::scenarios {

template <Policy P, template <class> class F>
class ChainOnTwoSchedulers : public WholeRuntime<P, F, 2> {
 public:
  static constexpr std::array reaches{"a consumer is linked", "a consumer is early"};

  ChainOnTwoSchedulers() : WholeRuntime<P, F, 2>({}) {}

 private:
  void submit_graph() override {
    const uint32_t first = this->tensor();
    this->task({}, first);
    this->task({first}, this->tensor());
  }
};

}  // namespace pto2::scenarios
