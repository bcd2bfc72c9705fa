/// Exit without any task, as soon as the core is ready. MB-I3: it is neither lost nor taken for a
/// task.
#pragma once

#include "models/support/mailbox.hpp"

namespace pto2::scenarios {

template <Policy P>
class Exit : public Mailbox<P> {
 public:
  void thread(uint32_t i) {
    if (i == 1) return this->run_core();
    this->await_ready();
    this->exit();
  }

  void finish() { this->expect_executed(0); }
};

}  // namespace pto2::scenarios
