/// Two schedulers (roles 0, 1) with one core each work on a block task: each takes the ticket from
/// the queue, lends the task to its core, passes the ticket on, and does what the core does. Who
/// finds no part unclaimed gives the ticket up. Whoever gives back the last share starts the slot's
/// next task. BP-I1, BP-I2, BP-I3, BP-I4, BP-P2: each part is claimed once, and the ticket outlives
/// no task.
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
  static constexpr std::array reaches{"one core claims every part", "both claim parts",
                                      "the ticket is the last to go", "a core is the last to go"};

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

  /// The ticket, or nothing when the task has completed.
  void next(std::optional<Place>& taken) {
    P::await([&] {
      taken = queue_.try_pop();
      return taken || completed_.is_set();
    });
  }

  void use_ticket(uint32_t scheduler) {
    if (parts_.unclaimed() == 0) return give_back("the ticket is the last to go");
    parts_.lend(1);
    check<P>(queue_.try_push(ticket), "there is room for the ticket");
    this->ring_all();
    while (const auto part = parts_.claim()) {
      work_[*part].write(work_[*part].read() + 1);
      ++claims_[scheduler];
    }
    give_back("a core is the last to go");
  }

  void give_back(const char* what) {
    if (!parts_.give_back()) return;
    happened<P>(what);
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
