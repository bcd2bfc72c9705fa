/// Slots are used again while one of two schedulers is anywhere in the steps of a completion.
/// TR-I1, LC-I1, LC-I4, WM-I1, WM-I3.
#pragma once

#include "models/support/whole_runtime.hpp"

namespace pto2::scenarios {

template <Policy P, template <class> class F>
class WindowWrapsOnTwoSchedulers : public WholeRuntime<P, F, 2> {
 public:
  static constexpr std::array reaches{"the orchestrator waits", "the orchestrator never waits"};

  WindowWrapsOnTwoSchedulers() : WholeRuntime<P, F, 2>({}) {}

 private:
  void submit_graph() override {
    for (uint32_t i = 0; i < 4; ++i) this->scoped_task({}, this->tensor());
  }
};

}  // namespace pto2::scenarios
