/// Two pairs of a producer and its consumer, each pair in a scope of its own, with one dependency
/// node for both: the second consumer takes it once the first has been reclaimed, wherever the
/// completer of the first is in its steps. DP-I1, LC-I2, LC-I4.
#pragma once

#include "models/runtime/whole_runtime.hpp"

namespace pto2::scenarios {

template <Policy P, template <class> class F>
class NodesReused : public WholeRuntime<P, F> {
 public:
  static constexpr std::array reaches{"the orchestrator waits", "the orchestrator never waits",
                                      "a consumer is linked", "a consumer is early"};

  NodesReused() : WholeRuntime<P, F>({.dep_pool = 1}) {}

 private:
  void submit_graph() override {
    for (uint32_t i = 0; i < 2; ++i) {
      this->begin_scope();
      const uint32_t produced = this->tensor();
      this->task({}, produced);
      this->task({produced}, this->tensor());
      this->end_scope();
    }
  }
};

}  // namespace pto2::scenarios
