/// Two schedulers (roles 0, 1) with one core each work on a block task: each takes the ticket from
/// the queue, lends the task to its core, passes the ticket on, and does what the core does. Who
/// finds no part unclaimed, or the task completed, gives the ticket up. Task and ticket hold the
/// slot: the last of them starts its next task. BP-I1, BP-I2, BP-I3, BP-I4, BP-I5, BP-P2: each part
/// is claimed once, and a task that has completed is lent to nobody, by whoever has its ticket.
#pragma once

#include "core/block_parts.hpp"
#include "core/startup.hpp"
#include "core/task_id.hpp"
#include "models/support/scenario.hpp"

namespace pto2::scenarios {

template <Policy P>
class TicketPasses : public Roles<P, 2> {
 public:
  static constexpr uint32_t parts = sized<P>(2, 6);
  static constexpr std::array reaches{
      "one core claims every part", "both claim parts", "the ticket outlives the task",
      "the task outlives the ticket", "the task completes before it is lent again"};

  TicketPasses() {
    for (auto& work : work_) work.write(0);
    parts_.open(parts);
    check<P>(queue_.try_push(ticket), "there is room for the ticket");
  }

  void thread(uint32_t i) {
    for (std::optional<Place> taken; next(taken), taken;) use_ticket(i);
  }

  void finish() {
    for (auto& work : work_) check<P>(work.read() == 1, "each part runs once");
    check<P>(claims_[0] + claims_[1] == parts, "no part is claimed twice");
    const bool both = claims_[0] != 0 && claims_[1] != 0;
    happened<P>(both ? "both claim parts" : "one core claims every part");
    check<P>(!queue_.try_pop(), "the ticket is used up");
    check<P>(parts_.claim() == 0 && parts_.give_back(), "the next task is whole");
  }

 private:
  static constexpr Place ticket = make_place(0, 1);

  /// The ticket, or nothing when it is all over.
  void next(std::optional<Place>& taken) {
    P::await([&] {
      taken = queue_.try_pop();
      return taken || over_.is_set();
    });
  }

  void use_ticket(uint32_t scheduler) {
    if (parts_.unclaimed() == 0) return let_go("the ticket outlives the task");
    if (!parts_.lend(1)) {
      happened<P>("the task completes before it is lent again");
      return let_go("the ticket outlives the task");
    }
    check<P>(queue_.try_push(ticket), "there is room for the ticket");
    this->ring_all();
    while (const auto part = parts_.claim()) {
      work_[*part].write(work_[*part].read() + 1);
      ++claims_[scheduler];
    }
    if (!parts_.give_back()) return;
    check<P>(++completed_ == 1, "one completes the task");
    for (auto& work : work_) check<P>(work.read() == 1, "the completer sees what every part did");
    let_go("the task outlives the ticket");
  }

  /// Task or ticket is at its end.
  void let_go(const char* what) {
    if (holds_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    happened<P>(what);
    parts_.open(1);
    over_.set();
    this->ring_all();
  }

  typename P::template bounded_queue<Place> queue_{2};
  BlockParts<P> parts_;
  typename P::template atomic<uint32_t> holds_{2};  // on the slot: the task's and the ticket's
  Flag<P> over_;
  uint32_t completed_ = 0;
  std::array<typename P::template cell<uint32_t>, parts> work_;
  std::array<uint32_t, 2> claims_{};  // entry i is role i's
};

}  // namespace pto2::scenarios
