/// A slot gets its next task while the completer of the former is anywhere in its steps. Tasks 0
/// and 2 have finished, and only its scope holds task 0, when the kernel of task 1 is let go, whose
/// scope has ended: closing task 1 consumes it. From there on its completer runs against the
/// orchestrator alone, whose end of the other scope consumes task 0 and moves the watermark past
/// it, and past the others if task 1 is closed by then. The sixth task takes the slot of the
/// second. LC-I1, LC-I4, TR-I1, TS-I2, WM-I1, WM-I3.
#pragma once

#include "models/support/whole_runtime.hpp"

namespace pto2::scenarios {

template <Policy P, template <class> class F>
class SlotReusedBehindCompleter : public WholeRuntime<P, F> {
 public:
  static constexpr std::array reaches{"the orchestrator waits", "the orchestrator never waits"};

  SlotReusedBehindCompleter() : WholeRuntime<P, F>({}) {}

 private:
  void submit_graph() override {
    const uint32_t read = this->external_tensor(0);
    this->rung_by_completions();
    this->begin_scope();
    this->task({}, this->tensor());
    this->await_finished(1);
    this->begin_scope();
    this->hold_kernels(1);
    this->task({}, this->tensor());
    this->await_held(1);
    this->hold_kernels(0);
    this->task({}, this->tensor());
    this->await_finished(2);
    this->end_scope();

    this->let_go(1);
    this->end_scope();
    this->hold_kernels(2);
    this->scoped_task({}, read);
    this->hold_kernels(0);
    for (uint32_t i = 0; i < 2; ++i) this->scoped_task({read}, this->tensor());
    this->let_go(2);
  }
};

}  // namespace pto2::scenarios
