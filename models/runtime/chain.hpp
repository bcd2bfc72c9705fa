/// Three tasks, each of which reads what the one before wrote. FI-I1, FI-I3, TS-I3.
///
/// Explored with: word lock
#pragma once

#include "models/support/whole_runtime.hpp"

namespace pto2::scenarios {

template <Policy P, template <class> class F>
class Chain : public WholeRuntime<P, F> {
 public:
  static constexpr std::array reaches{"a consumer is linked", "a consumer is early"};

  Chain() : WholeRuntime<P, F>({}) {}

 private:
  void submit_graph() override {
    const uint32_t first = this->tensor(), second = this->tensor(), third = this->tensor();
    this->task({}, first);
    this->task({first}, second);
    this->task({second}, third);
  }
};

}  // namespace pto2::scenarios
