/// A slot gets its next task while the completer of the former is anywhere in its steps. The kernel
/// of task 0 is held until task 1, behind it, has finished. The scope of task 0 has ended by then,
/// so that its close consumes it. From there on its completer runs against the orchestrator alone,
/// whose end of the other scope consumes task 1: either one moves the watermark past both, and the
/// fifth task takes the slot of the first. It waits for the third, which is held until then. LC-I1,
/// LC-I4, TR-I1, TS-I2, WM-I1, WM-I3.
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
    this->hold_kernels(1);
    this->scoped_task({}, this->tensor());
    this->await_held(1);
    this->hold_kernels(0);
    this->begin_scope();
    this->task({}, this->tensor());
    this->await_finished(1);
    this->begin_scope();
    this->hold_kernels(2);
    this->task({}, read);
    this->await_held(2);
    this->end_scope();

    this->let_go(1);
    this->end_scope();
    this->hold_kernels(0);
    for (uint32_t i = 0; i < 2; ++i) this->scoped_task({read}, this->tensor());
    this->let_go(2);
  }
};

}  // namespace pto2::scenarios
