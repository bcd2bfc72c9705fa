/// A block task whose three parts are pinned to the clusters of two schedulers, and a cluster that
/// is allocated again: the ticket visits each scheduler once, parts run on their clusters alone,
/// and each leaves its group when it ends. BP-I1, BP-I2, BP-I4, PD-I4, CP-I2, CP-I4.
///
/// Explored with: word lock
#pragma once

#include "models/support/whole_runtime.hpp"

namespace pto2::scenarios {

template <Policy P, template <class> class F>
class PinnedParts : public WholeRuntime<P, F, 2> {
 public:
  static constexpr std::array reaches{"every scheduler dispatches", "the orchestrator waits",
                                      "the orchestrator never waits"};

  PinnedParts() : WholeRuntime<P, F, 2>({}) {}

 private:
  void submit_graph() override {
    const int32_t first = this->allocate_cluster();
    const int32_t second = this->allocate_cluster();
    this->pinned_parts({first, second, first}, {}, this->tensor(3));
    this->free_cluster(first);
    this->free_cluster(second);
    (void)this->allocate_cluster();
    (void)this->allocate_cluster();
  }
};

}  // namespace pto2::scenarios
