/// Two groups hold the only cluster in turn, and each pushes to a pipe: the second, in the memory
/// of the first, begins empty once the tasks of the first group have completed. PI-I2, CP-I3
#pragma once

#include "models/support/whole_runtime.hpp"

namespace pto2::scenarios {

template <Policy P, template <class> class F>
class PipeMemoryReused : public WholeRuntime<P, F> {
 public:
  static constexpr std::array reaches{"the orchestrator waits", "the orchestrator never waits"};

  PipeMemoryReused() : WholeRuntime<P, F>({}) {}

 private:
  void submit_graph() override {
    for (int group = 0; group < 2; ++group) {
      const int32_t cluster = this->allocate_cluster();
      this->pushing_task(this->tensor(), cluster);
      this->free_cluster(cluster);
    }
  }
};

}  // namespace pto2::scenarios
