/// Dispatches, ACK, FIN and exit. MB-I1, MB-I2, MB-I4: the payload is seen, each dispatch runs
/// once, and its result is there when FIN is.
#pragma once

#include "models/support/mailbox.hpp"

namespace pto2::scenarios {

template <Policy P>
class Dispatch : public Mailbox<P> {
 public:
  static constexpr uint32_t dispatches = 3;

  void thread(uint32_t i) {
    if (i == 1) return this->run_core();
    this->await_ready();
    for (uint32_t number = 1; number <= dispatches; ++number) {
      this->dispatch(number);
      this->await_completion(number);
    }
    this->exit();
  }

  void finish() { this->expect_executed(dispatches); }
};

}  // namespace pto2::scenarios
