/// Four updates through a window with room for three, then an exception: the last reuses the slot
/// of the first, and any of them may be on its way when the run is given up. MB-I2, LC-I4, SU-I3.
#pragma once

#include "models/runtime/given_up.hpp"

namespace pto2::scenarios {

template <Policy P, template <class> class F>
class ThrownWhileASlotIsReused : public GivenUp<P, F> {
 public:
  ThrownWhileASlotIsReused() : GivenUp<P, F>(ErrorCode::orchestration_threw) {}

 private:
  void submit_graph() override {
    const uint32_t value = this->external_tensor(0);
    for (uint32_t i = 0; i < 4; ++i) this->scoped_task({}, value);
    this->throw_something();
  }
};

}  // namespace pto2::scenarios
