/// What the scenarios of passed tickets share: two schedulers take the ticket of a block task from
/// a queue, until somebody says that all is over.
#pragma once

#include "core/block_parts.hpp"
#include "core/startup.hpp"
#include "core/task_id.hpp"
#include "models/support/scenario.hpp"

namespace pto2::scenarios {

/// The ticket of a task of `number` parts.
template <Policy P, uint32_t number>
class PassedTicket : public Roles<P, 2> {
 public:
  static constexpr uint32_t parts = number;

  PassedTicket() {
    for (auto& work : work_) work.write(0);
    parts_.open(parts);
    check<P>(queue_.try_push(ticket), "there is room for the ticket");
  }

 protected:
  static constexpr SlotId ticket = make_slot(0, 1);

  /// Takes the ticket. False: it is all over.
  bool take() {
    bool taken = false;
    P::await([&] {
      taken = try_take();
      return taken || over_.is_set();
    });
    return taken;
  }

  void pass_on() {
    check<P>(queue_.try_push(ticket), "there is room for the ticket");
    this->ring_all();
  }

  void work_on(uint32_t part, uint32_t scheduler) {
    work_[part].write(work_[part].read() + 1);
    ++claims_[scheduler];
  }

  /// For who sees the task complete.
  void check_work() {
    for (auto& work : work_) check<P>(work.read() == 1, "the completer sees what every part did");
  }

  /// The slot is free: its next task may have as many parts as it likes.
  void end() {
    parts_.open(1);
    over_.set();
    this->ring_all();
  }

  /// After the last role: which of the two cases it was, and that the slot is whole.
  void check_end(const char* one, const char* both) {
    for (auto& work : work_) check<P>(work.read() == 1, "each part runs once");
    check<P>(claims_[0] + claims_[1] == parts, "no part is claimed twice");
    happened<P>(claims_[0] != 0 && claims_[1] != 0 ? both : one);
    check<P>(!try_take(), "the ticket is used up");
    check<P>(parts_.claim() == 0 && parts_.give_back(), "the next task is whole");
  }

  BlockParts<P> parts_;

 private:
  bool try_take() {
    SlotId taken;
    return queue_.try_pop(taken);
  }

  typename P::template bounded_queue<SlotId> queue_{2};
  Flag<P> over_;
  std::array<typename P::template cell<uint32_t>, parts> work_;
  std::array<uint32_t, 2> claims_{};  // entry i is role i's
};

}  // namespace pto2::scenarios
