/// A task whose two producers ask for more dependency nodes than are free: the orchestrator waits,
/// before its first claim, until the one that holds nodes is reclaimed. DP-I2, DP-I3, SD-I1.
#pragma once

#include "models/runtime/whole_runtime.hpp"

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
    submit_in_scope({}, first);
    submit_in_scope({first}, second);
    submit_in_scope({first}, second);
  }

  void submit_in_scope(const std::vector<uint32_t>& inputs, uint32_t output) {
    this->begin_scope();
    this->task(inputs, output);
    this->end_scope();
  }
};

}  // namespace pto2::scenarios
