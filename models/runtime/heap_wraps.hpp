/// Three buffers, each in a scope of its own, through a heap with room for one and a half: each is
/// placed where the former lay once that has been reclaimed, wherever the completer of the former
/// is in its steps. HR-I1, HR-I2, LC-I4, WM-I3, SD-I1.
///
/// Explored with: word lock
#pragma once

#include "models/support/whole_runtime.hpp"

namespace pto2::scenarios {

template <Policy P, template <class> class F, uint32_t schedulers = 1>
class HeapWraps : public WholeRuntime<P, F, schedulers> {
 public:
  static constexpr std::array reaches{"the orchestrator waits", "the orchestrator never waits"};

  HeapWraps() : WholeRuntime<P, F, schedulers>({.heap_units = 3}) {}

 private:
  void submit_graph() override {
    for (uint32_t i = 0; i < 3; ++i) this->scoped_task({}, this->tensor(2));
  }
};

}  // namespace pto2::scenarios
