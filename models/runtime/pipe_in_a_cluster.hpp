/// A task pushes to a pipe and another pops from it, on a cluster that could run both at once: the
/// second finds the entry of the first. PI-I1
#pragma once

#include "models/support/whole_runtime.hpp"

namespace pto2::scenarios {

template <Policy P, template <class> class F>
class PipeInACluster : public WholeRuntime<P, F> {
 public:
  static constexpr std::array reaches{"a consumer is linked", "a consumer is early"};

  PipeInACluster() : WholeRuntime<P, F>({}) {}

 private:
  void submit_graph() override {
    const int32_t cluster = this->allocate_cluster();
    this->pushing_task(this->tensor(), cluster);
    this->popping_task(this->tensor(), cluster, 1);
  }
};

}  // namespace pto2::scenarios
