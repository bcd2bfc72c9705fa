/// A task whose two producers ask for more dependency nodes than are free: the orchestrator waits,
/// before its first claim, until the one that holds nodes is reclaimed. DP-I2, AD-I1, SD-I1.
#pragma once

#include "models/support/whole_runtime.hpp"

namespace pto2::scenarios {

template <Policy P, template <class> class F>
class PoolWaits : public WholeRuntime<P, F> {
 public:
  static constexpr std::array reaches{"the orchestrator waits", "the orchestrator never waits"};

  PoolWaits() : WholeRuntime<P, F>({.dep_pool = 2}) {}

 private:
  void submit_graph() override {
    const uint32_t first = this->external_tensor(0);
    const uint32_t second = this->external_tensor(1);
    this->scoped_task({}, first);
    this->scoped_task({first}, second);
    this->scoped_task({first}, second);
  }
};

}  // namespace pto2::scenarios
