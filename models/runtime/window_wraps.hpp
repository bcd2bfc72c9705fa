/// Four updates of one value, each in a scope of its own, through a window with room for three: the
/// orchestrator waits for the first to be reclaimed. TR-I1, LC-I4, WM-I3, SD-I1.
#pragma once

#include "models/support/whole_runtime.hpp"

namespace pto2::scenarios {

template <Policy P, template <class> class F>
class WindowWraps : public WholeRuntime<P, F> {
 public:
  static constexpr std::array reaches{"the orchestrator waits", "the orchestrator never waits"};

  WindowWraps() : WholeRuntime<P, F>({}) {}

 private:
  void submit_graph() override {
    const uint32_t value = this->external_tensor(0);
    for (uint32_t i = 0; i < 4; ++i) this->scoped_task({}, value);
  }
};

}  // namespace pto2::scenarios
