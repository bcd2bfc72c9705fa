/// Two groups hold the only cluster in turn: two tasks, of which one reads the other's result, then
/// a third. PD-I1, PD-I2, CP-I1, CP-I2, CP-I3, CP-I4, CG-I1, CG-I2: the second group is opened once
/// the tasks of the first have completed, whoever closes it.
#pragma once

#include "models/support/whole_runtime.hpp"

namespace pto2::scenarios {

template <Policy P, template <class> class F>
class OneCluster : public WholeRuntime<P, F> {
 public:
  static constexpr std::array reaches{"the orchestrator waits", "the orchestrator never waits"};

  OneCluster() : WholeRuntime<P, F>({}) {}

 private:
  void submit_graph() override {
    this->begin_scope();
    const int32_t first = this->allocate_cluster();
    const uint32_t produced = this->tensor();
    this->pinned_task({}, produced, first);
    this->pinned_task({produced}, this->tensor(), first);
    this->end_scope();
    const int32_t second = this->allocate_cluster();
    this->pinned_task({}, this->tensor(), second);
    this->free_cluster(second);
  }
};

}  // namespace pto2::scenarios
