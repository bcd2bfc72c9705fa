/// A scheduler (role 1) sleeps with an idle core while others of it work. One ends its task (role
/// 0), and another task goes straight to it; that ends, too, and two tasks become ready by it, the
/// second of which takes the idle core. In between the orchestrator (role 0 again) makes a task
/// ready that any scheduler may run, and that those two wait for. PS-I1: who was awake for its own
/// cores alone sleeps on without a look into the queues, unless it was taken from those who are
/// parked; and who has given its idle core away passes on what it was taken for to the next (role
/// 2).
#pragma once

#include "core/parked_schedulers.hpp"
#include "core/startup.hpp"
#include "models/support/scenario.hpp"
#include "models/support/small_queues.hpp"

namespace pto2::scenarios {

template <Policy P>
class SleepsOn : public Roles<P, 3> {
 public:
  static constexpr bool idles = true;
  static constexpr std::array reaches{"it sleeps on without a look",
                                      "it was taken while it was awake",
                                      "it passes on what it was taken for"};

  void thread(uint32_t i) {
    if (i == 0) return end_and_push();
    Own own;
    own.works = i == 1;
    schedule(i - 1, own);
  }

  void finish() {
    check<P>(has_run_.load(std::memory_order_acquire) == 1, "the task has run");
    check<P>(parked_.empty(), "nobody is announced any more");
  }

 private:
  /// What a scheduler knows of its own.
  struct Own {
    bool idle = true;        // one of its cores
    bool works = false;      // another one
    bool announced = false;  // unless somebody has taken it
    bool more = false;       // tasks may be left that the other could take
  };

  void end_and_push() {
    this->bells[1].ring();
    check<P>(queues_.push_orchestrators(make_slot(0, 0)), "there is room");
    if (const auto s = parked_.take_one_peeking()) this->bells[1 + s->value].ring();
    ended_.set();
    this->bells[1].ring();
    P::await([&] { return has_run_.load(std::memory_order_acquire) == 1; });
    over_.set();
    this->ring_all();
  }

  /// As Scheduler::run() does who does not poll.
  void schedule(uint32_t s, Own& own) {
    while (!over_.is_set()) {
      if (own.works && ended_.is_set()) complete(own);
      if (may_sleep_on(s, own)) {
        happened<P>("it sleeps on without a look");
        P::idle();
      } else if (!look(s, own)) {
        P::idle();
      }
    }
    withdraw(s, own);
  }

  void complete(Own& own) {
    own.works = false;
    own.more |= own.idle;
    own.idle = false;
  }

  bool may_sleep_on(uint32_t s, const Own& own) {
    if (!own.announced || own.more || !own.idle) return false;
    if (parked_.is_announced(SchedulerId(s))) return true;
    happened<P>("it was taken while it was awake");
    return false;
  }

  /// As Scheduler::look_before_sleep().
  bool look(uint32_t s, Own& own) {
    if (own.idle) {
      parked_.announce(SchedulerId(s));
      own.announced = true;
    } else {
      withdraw(s, own);
    }
    ReadyTask task;
    const bool popped = own.idle && queues_.pop(0, task);
    if (popped) own.idle = false, own.more = true;
    if (own.more && !own.idle) offer(s, own);
    own.more = false;
    if (!popped) return false;
    has_run_.store(1, std::memory_order_release);
    this->bells[0].ring();
    return true;
  }

  void offer(uint32_t s, Own& own) {
    withdraw(s, own);
    if (const auto next = parked_.take_one()) {
      happened<P>("it passes on what it was taken for");
      this->bells[1 + next->value].ring();
    }
  }

  void withdraw(uint32_t s, Own& own) {
    if (!own.announced) return;
    own.announced = false;
    parked_.retract(SchedulerId(s));
  }

  SmallQueues<P, 1> queues_;
  ParkedSchedulers<P> parked_;
  Flag<P> ended_;
  Flag<P> over_;
  typename P::template atomic<uint32_t> has_run_{0};
};

}  // namespace pto2::scenarios
