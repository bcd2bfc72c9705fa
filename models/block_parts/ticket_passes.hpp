/// Two schedulers (roles 0, 1) with one core each work on a block task: each takes the ticket from
/// the queue, claims a part, passes the ticket on if parts are left, and runs the part. Whoever
/// ends the last one starts the slot's next task. BP-I1, BP-I2, BP-I3, BP-I4: each part is claimed
/// once, and the books have one owner at a time.
#pragma once

#include "core/block_parts.hpp"
#include "core/startup.hpp"
#include "core/task_id.hpp"
#include "models/support/scenario.hpp"

namespace pto2::scenarios {

template <Policy P>
class TicketPasses : public Roles<P, 2> {
 public:
  static constexpr uint32_t parts = sized<P>(3, 6);
  static constexpr std::array reaches{"one scheduler claims every part", "both claim parts"};

  TicketPasses() {
    for (auto& work : work_) work.write(0);
    parts_.open(parts);
    check<P>(queue_.try_push(ticket), "there is room for the ticket");
  }

  void thread(uint32_t i) {
    for (std::optional<Place> taken; next(taken), taken;) run_part(i);
  }

  void finish() {
    for (auto& work : work_) check<P>(work.read() == 1, "each part runs once");
    check<P>(claims_[0] + claims_[1] == parts, "no part is claimed twice");
    const bool both = claims_[0] != 0 && claims_[1] != 0;
    happened<P>(both ? "both claim parts" : "one scheduler claims every part");
    check<P>(!queue_.try_pop(), "the ticket is used up");
    check<P>(parts_.claim(1).last && parts_.end(), "the next task is whole");
  }

 private:
  static constexpr Place ticket = make_place(0, 1);

  /// The ticket, or nothing when the task has completed.
  void next(std::optional<Place>& taken) {
    P::await([&] {
      taken = queue_.try_pop();
      return taken || completed_.is_set();
    });
  }

  void run_part(uint32_t scheduler) {
    const ClaimedParts claimed = parts_.claim(1);
    ++claims_[scheduler];
    if (!claimed.last) {
      check<P>(queue_.try_push(ticket), "there is room for the ticket");
      this->ring_all();
    }
    work_[claimed.first].write(work_[claimed.first].read() + 1);
    if (!parts_.end()) return;
    for (auto& work : work_) check<P>(work.read() == 1, "the completer sees what every part did");
    parts_.open(1);
    completed_.set();
    this->ring_all();
  }

  typename P::template bounded_queue<Place> queue_{2};
  BlockParts<P> parts_;
  Flag<P> completed_;
  std::array<typename P::template cell<uint32_t>, parts> work_;
  std::array<uint32_t, 2> claims_{};  // entry i is role i's
};

}  // namespace pto2::scenarios
