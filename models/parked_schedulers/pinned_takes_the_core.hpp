/// The orchestrator (role 0) makes a task ready that any scheduler may run, and one that is pinned
/// to the cluster of the first (role 1). Each scheduler (roles 1, 2) has one core; the pinned task
/// does not end before the other has run. PS-I1, PD-I5: a scheduler that was woken for the one and
/// gives its core to the other wakes the next.
#pragma once

#include "core/parked_schedulers.hpp"
#include "core/pinned_dispatch.hpp"
#include "core/startup.hpp"
#include "models/support/scenario.hpp"
#include "models/support/small_queues.hpp"

namespace pto2::scenarios {

template <Policy P>
class PinnedTakesTheCore : public Roles<P, 3> {
 public:
  static constexpr bool idles = true;
  static constexpr std::array reaches{"a scheduler sleeps",
                                      "who gives its core to the pinned task wakes the other",
                                      "the other scheduler runs the other task"};

  void thread(uint32_t i) { i == 0 ? push_both() : schedule(i - 1); }

  void finish() {
    check<P>(running_.load(std::memory_order_acquire) == 2, "both tasks have run");
    check<P>(parked_.empty() && inbox_.empty(), "nothing is left behind");
  }

 private:
  /// What a scheduler knows of its own.
  struct Own {
    bool idle = true;        // its core
    bool announced = false;  // in the set of parked schedulers
    bool more = false;       // tasks may be left that the other could take
  };

  void push_both() {
    check<P>(queues_.push_orchestrators(make_slot(0, 0)), "there is room");
    if (const auto s = parked_.take_one_peeking()) this->bells[1 + s->value].ring();
    inbox_.push(make_slot(0, 1), link_);
    this->bells[1].ring();
    P::await([&] { return running_.load(std::memory_order_acquire) == 2; });
    over_.set();
    this->ring_all();
  }

  void schedule(uint32_t s) {
    Own own;
    while (!over_.is_set()) {
      if (dispatch(s, own)) continue;
      if (own.idle) parked_.announce(SchedulerId(s));
      own.announced = true;
      if (!dispatch(s, own)) {
        happened<P>("a scheduler sleeps");
        P::idle();
      }
      own.announced = false;
      parked_.retract(SchedulerId(s));
    }
  }

  /// As Scheduler::dispatch_phase().
  bool dispatch(uint32_t s, Own& own) {
    const bool pinned = s == 0 && own.idle && take_pinned();
    if (pinned) own.idle = false, own.more = true;
    ReadyTask task;
    const bool popped = own.idle && queues_.pop(s, task);
    if (popped && s == 1) happened<P>("the other scheduler runs the other task");
    if (own.more && !own.idle) offer(s, own);
    own.more = false;
    if (!pinned && !popped) return false;
    running_.fetch_add(1, std::memory_order_acq_rel);
    this->bells[0].ring();
    return true;
  }

  bool take_pinned() {
    bool taken = false;
    inbox_.take_all(
        [&](SlotId) -> auto& { return link_; }, [&](SlotId) { taken = true; });
    return taken;
  }

  void offer(uint32_t s, const Own& own) {
    if (own.announced) parked_.retract(SchedulerId(s));
    if (const auto next = parked_.take_one()) {
      happened<P>("who gives its core to the pinned task wakes the other");
      this->bells[1 + next->value].ring();
    }
  }

  SmallQueues<P, 2> queues_;
  ParkedSchedulers<P> parked_;
  PinnedInbox<P> inbox_;
  typename PinnedInbox<P>::Link link_;
  Flag<P> over_;
  typename P::template atomic<uint32_t> running_{0};
};

}  // namespace pto2::scenarios
