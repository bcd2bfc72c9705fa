/// A ring of one entry that is full: one scheduler (role 1) pops, and the orchestrator (role 0)
/// pushes the next task, then looks who is parked; another scheduler (role 2) announces itself,
/// then pops. OQ-I4: who finds nothing, be it that it came late to an entry that was written anew,
/// is seen by the pusher of whatever is left.
#pragma once

#include "core/orchestrator_queue.hpp"
#include "core/parked_schedulers.hpp"
#include "models/support/scenario.hpp"

namespace pto2::scenarios {

template <Policy P>
class LatePopper : public Roles<P, 3> {
 public:
  static constexpr std::array reaches{"the late one pops the second task", "the late one is seen"};

  LatePopper() { check<P>(queue_.try_push(make_slot(0, 0)), "there is room"); }

  void thread(uint32_t i) {
    if (i == 0) {
      push();
    } else if (i == 1) {
      pops_[0] = pop();
    } else {
      parked_.announce(0);
      pops_[1] = pop();
    }
  }

  void finish() {
    if (pops_[1] == 2) happened<P>("the late one pops the second task");
    if (pops_[1] != 0) return;
    happened<P>("the late one is seen");
    check<P>(is_seen_ || pop() == 0, "who finds nothing is seen by who has pushed what is left");
  }

 private:
  void push() {
    P::await([&] { return queue_.try_push(make_slot(0, 1)); });
    is_seen_ = parked_.take_one_peeking().has_value();
  }

  /// Which task it is, from 1 on; 0: there is none.
  uint32_t pop() {
    SlotId slot;
    const bool popped = queue_.try_pop(slot);
    this->bells[0].ring();
    return popped ? index_of(slot) + 1 : 0;
  }

  std::array<typename OrchestratorQueue<P>::Entry, 1> entries_;
  OrchestratorQueue<P> queue_{entries_};
  ParkedSchedulers<P> parked_;
  std::array<uint32_t, 2> pops_{};  // entry i is role i + 1's
  bool is_seen_ = false;            // role 0's
};

}  // namespace pto2::scenarios
