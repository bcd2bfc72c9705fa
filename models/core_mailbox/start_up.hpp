/// The first dispatch follows the report of readiness at once. MB-I3: the core's clearing of its
/// register never wipes it, and a zeroed register is no task.
#pragma once

#include "models/support/mailbox.hpp"

namespace pto2::scenarios {

template <Policy P>
class StartUp : public Mailbox<P> {
 public:
  void thread(uint32_t i) {
    if (i == 1) return this->run_core();
    this->await_ready();
    this->dispatch(1);
    this->await_completion(1);
    this->exit();
  }

  void finish() { this->expect_executed(1); }
};

}  // namespace pto2::scenarios
