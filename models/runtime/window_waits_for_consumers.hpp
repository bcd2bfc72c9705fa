/// The window is full, and the oldest task is held by two consumers in turn: the task that finishes
/// last frees the first slot, so that everything has finished while the watermark is still to move.
/// SD-I1, SD-I2, TS-I2, WM-I3.
#pragma once

#include "models/support/whole_runtime.hpp"

namespace pto2::scenarios {

template <Policy P, template <class> class F>
class WindowWaitsForConsumers : public WholeRuntime<P, F> {
 public:
  static constexpr std::array reaches{"the orchestrator waits", "the orchestrator never waits"};

  WindowWaitsForConsumers() : WholeRuntime<P, F>({}) {}

 private:
  void submit_graph() override {
    const uint32_t read = this->external_tensor(0);
    const uint32_t updated = this->external_tensor(1);
    this->scoped_task({}, read);
    this->scoped_task({read}, updated);
    this->scoped_task({read}, updated);
    this->scoped_task({}, this->tensor());
  }
};

}  // namespace pto2::scenarios
