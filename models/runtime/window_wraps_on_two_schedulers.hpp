/// A slot gets its next task while the completer of the former may be anywhere in its steps: one of
/// two slots is in use at a time, so that each task waits until the one before is reclaimed, by
/// whoever that was, and the third takes the slot of the first. The scheduler that completes the
/// first need not have gone on when the third has run. TR-I1, LC-I1, LC-I4, WM-I1, WM-I3.
#pragma once

#include "models/support/whole_runtime.hpp"

namespace pto2::scenarios {

template <Policy P, template <class> class F>
class WindowWrapsOnTwoSchedulers : public WholeRuntime<P, F, 2> {
 public:
  static constexpr std::array reaches{"the orchestrator waits", "the orchestrator never waits",
                                      "every scheduler completes tasks"};

  WindowWrapsOnTwoSchedulers() : WholeRuntime<P, F, 2>({.window = 2}) {}

 private:
  void submit_graph() override {
    for (uint32_t i = 0; i < 3; ++i) this->scoped_task({}, this->tensor());
  }
};

}  // namespace pto2::scenarios
