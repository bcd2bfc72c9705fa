/// Two schedulers (roles 0, 1) run the parts of a block task themselves: each takes the ticket from
/// the queue, claims a part, passes the ticket on with a share of its own, and runs the part. Who
/// claims the last part keeps the ticket's share. BP-I1, BP-I2, BP-I3, BP-I4, BP-P2: each part runs
/// once, and the task does not complete between two parts, when nobody runs one.
#pragma once

#include "core/block_parts.hpp"
#include "core/startup.hpp"
#include "core/task_id.hpp"
#include "models/support/scenario.hpp"

namespace pto2::scenarios {

template <Policy P>
class PartsInTurn : public Roles<P, 2> {
 public:
  static constexpr uint32_t parts = sized<P>(3, 6);
  static constexpr std::array reaches{"one scheduler runs every part", "both run parts",
                                      "a part that was not claimed last is the last to end"};

  PartsInTurn() {
    for (auto& work : work_) work.write(0);
    parts_.open(parts);
    check<P>(queue_.try_push(ticket), "there is room for the ticket");
  }

  void thread(uint32_t i) {
    for (std::optional<Place> taken; next(taken), taken;) run_part(i);
  }

  void finish() {
    check<P>(claims_[0] + claims_[1] == parts, "no part is claimed twice");
    const bool both = claims_[0] != 0 && claims_[1] != 0;
    happened<P>(both ? "both run parts" : "one scheduler runs every part");
    check<P>(!queue_.try_pop(), "the ticket is used up");
    check<P>(parts_.claim() == 0 && parts_.give_back(), "the next task is whole");
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
    const auto part = parts_.claim();
    check<P>(part && *part < parts, "a ticket in the queue has a part");
    if (parts_.unclaimed() != 0) {
      parts_.add_share();
      check<P>(queue_.try_push(ticket), "there is room for the ticket");
      this->ring_all();
    }
    work_[*part].write(work_[*part].read() + 1);
    ++claims_[scheduler];
    if (!parts_.give_back()) return;
    if (*part + 1 != parts) happened<P>("a part that was not claimed last is the last to end");
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
