/// Two schedulers (roles 0, 1) with one core each work on a block task: each takes the ticket from
/// the queue, lends the task to its core, passes the ticket on, and does what the core does. Who
/// finds no part unclaimed, or the task completed, gives the ticket up. Task and ticket hold the
/// slot: the last of them starts its next task. BP-I1, BP-I2, BP-I3, BP-I4, BP-I5, BP-P2: each part
/// is claimed once, and a task that has completed is lent to nobody, by whoever has its ticket.
#pragma once

#include "models/support/passed_ticket.hpp"

namespace pto2::scenarios {

template <Policy P>
class TicketPasses : public PassedTicket<P, sized<P>(2, 6)> {
 public:
  static constexpr std::array reaches{
      "one core claims every part", "both claim parts", "the ticket outlives the task",
      "the task outlives the ticket", "the task completes before it is lent again"};

  void thread(uint32_t i) {
    while (this->take()) use_ticket(i);
  }

  void finish() { this->check_end("one core claims every part", "both claim parts"); }

 private:
  void use_ticket(uint32_t scheduler) {
    if (parts_.unclaimed() == 0) return let_go("the ticket outlives the task");
    if (!parts_.lend(1)) {
      happened<P>("the task completes before it is lent again");
      return let_go("the ticket outlives the task");
    }
    this->pass_on();
    while (const auto part = parts_.claim()) this->work_on(*part, scheduler);
    if (!parts_.give_back()) return;
    check<P>(++completed_ == 1, "one completes the task");
    this->check_work();
    let_go("the task outlives the ticket");
  }

  /// Task or ticket is at its end.
  void let_go(const char* what) {
    if (holds_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    happened<P>(what);
    this->end();
  }

  using PassedTicket<P, sized<P>(2, 6)>::parts_;

  typename P::template atomic<uint32_t> holds_{2};  // on the slot: the task's and the ticket's
  uint32_t completed_ = 0;
};

}  // namespace pto2::scenarios
