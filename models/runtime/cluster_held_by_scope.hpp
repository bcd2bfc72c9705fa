/// The only cluster is held by a group of a scope that is open when another is allocated: a
/// deadlock, whether or not the group's task has completed by then. SD-I1, CP-I4, FA-I1.
#pragma once

#include "models/support/whole_runtime.hpp"

namespace pto2::scenarios {

template <Policy P, template <class> class F>
class ClusterHeldByScope : public WholeRuntime<P, F> {
 public:
  static constexpr std::array reaches{"every task runs"};

  ClusterHeldByScope() : WholeRuntime<P, F>({}, ErrorCode::cluster_deadlock) {}

 private:
  void submit_graph() override {
    const int32_t cluster = this->allocate_cluster();
    this->pinned_task({}, this->tensor(), cluster);
    this->pinned_task({}, this->tensor(), this->allocate_cluster());
  }
};

}  // namespace pto2::scenarios
