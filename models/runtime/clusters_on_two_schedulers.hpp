/// Two clusters of two schedulers: a task on the one writes what a task on the other reads, so the
/// scheduler of the one pushes to the inbox of the other. PD-I1, PD-I2, PD-I5, CP-I2.
#pragma once

#include "models/support/whole_runtime.hpp"

namespace pto2::scenarios {

template <Policy P, template <class> class F>
class ClustersOnTwoSchedulers : public WholeRuntime<P, F, 2> {
 public:
  static constexpr std::array reaches{"a consumer is linked", "a consumer is early"};

  ClustersOnTwoSchedulers() : WholeRuntime<P, F, 2>({}) {}

 private:
  void submit_graph() override {
    const int32_t first = this->allocate_cluster();
    const int32_t second = this->allocate_cluster();
    const uint32_t produced = this->tensor();
    this->pinned_task({}, produced, first);
    this->pinned_task({produced}, this->tensor(), second);
    this->free_cluster(first);
    this->free_cluster(second);
  }
};

}  // namespace pto2::scenarios
