/// A producer and two consumers, each in a scope of its own, with one dependency node for all: the
/// second consumer takes it once the first has been reclaimed, wherever the completer of the first
/// is in its steps, or needs none because the producer has been. DP-I1, LC-I2, LC-I4.
#pragma once

#include "models/support/whole_runtime.hpp"

namespace pto2::scenarios {

template <Policy P, template <class> class F>
class NodesReused : public WholeRuntime<P, F> {
 public:
  static constexpr std::array reaches{"the orchestrator waits", "the orchestrator never waits",
                                      "a consumer is linked"};

  NodesReused() : WholeRuntime<P, F>({.dep_pool = 1}) {}

 private:
  void submit_graph() override {
    const uint32_t produced = this->external_tensor(0);
    this->scoped_task({}, produced);
    for (uint32_t i = 0; i < 2; ++i) this->scoped_task({produced}, this->tensor());
  }
};

}  // namespace pto2::scenarios
