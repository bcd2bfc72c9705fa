/// A run is given up right after a dispatch: exit takes the place of the dispatch in the register,
/// whether the core has seen it, has taken it, or never will. MB-I2, MB-I3: it runs once or not at
/// all, and the core leaves.
#pragma once

#include "models/support/mailbox.hpp"

namespace pto2::scenarios {

template <Policy P>
class ExitOvertakes : public Mailbox<P> {
 public:
  static constexpr std::array reaches{"the dispatch is run", "exit overtakes the dispatch"};

  void thread(uint32_t i) {
    if (i == 1) return this->run_core();
    this->await_ready();
    this->dispatch(1);
    this->exit();
  }

  void finish() {
    happened<P>(this->executed() == 1 ? "the dispatch is run" : "exit overtakes the dispatch");
    this->expect_executed(this->executed());
  }
};

}  // namespace pto2::scenarios
