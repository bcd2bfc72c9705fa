/// Two schedulers (roles 0, 1) run the parts of a block task themselves: each takes the ticket from
/// the queue, claims a part, passes the ticket on with a share of its own, and runs the part. Who
/// claims the last part keeps the ticket's share. BP-I1, BP-I2, BP-I3, BP-I4, BP-P2: each part runs
/// once, and the task does not complete between two parts, when nobody runs one.
#pragma once

#include "models/support/passed_ticket.hpp"

namespace pto2::scenarios {

template <Policy P>
class PartsInTurn : public PassedTicket<P, sized<P>(3, 6)> {
 public:
  static constexpr std::array reaches{"one scheduler runs every part", "both run parts",
                                      "a part that was not claimed last is the last to end"};

  void thread(uint32_t i) {
    while (this->take()) run_part(i);
  }

  void finish() { this->check_end("one scheduler runs every part", "both run parts"); }

 private:
  void run_part(uint32_t scheduler) {
    const auto part = parts_.claim();
    check<P>(part && *part < this->parts, "a ticket in the queue has a part");
    if (parts_.unclaimed() != 0) {
      parts_.add_share();
      this->pass_on();
    }
    this->work_on(*part, scheduler);
    if (!parts_.give_back()) return;
    if (*part + 1 != this->parts) {
      happened<P>("a part that was not claimed last is the last to end");
    }
    this->check_work();
    this->end();
  }

  using PassedTicket<P, sized<P>(3, 6)>::parts_;
};

}  // namespace pto2::scenarios
