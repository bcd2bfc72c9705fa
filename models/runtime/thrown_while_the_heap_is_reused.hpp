/// Three buffers through a heap with room for one and a half, then an exception: each lies where
/// the former lay, and any of the tasks may be on its way when the run is given up. MB-I2, LC-I4,
/// SU-I3.
#pragma once

#include "models/support/given_up.hpp"

namespace pto2::scenarios {

template <Policy P, template <class> class F>
class ThrownWhileTheHeapIsReused : public GivenUp<P, F> {
 public:
  ThrownWhileTheHeapIsReused() : GivenUp<P, F>(ErrorCode::orchestration_threw, {.heap_units = 3}) {}

 private:
  void submit_graph() override {
    for (uint32_t i = 0; i < 3; ++i) this->scoped_task({}, this->tensor(2));
    this->throw_something();
  }
};

}  // namespace pto2::scenarios
