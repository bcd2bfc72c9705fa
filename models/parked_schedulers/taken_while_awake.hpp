/// A scheduler (role 1) is announced, and woken by one of its cores, which has something to do
/// again at once; meanwhile somebody (role 0) makes a task ready and takes it for that. PS-I1: it
/// does not sleep on then, or the ring is still to come.
#pragma once

#include "core/parked_schedulers.hpp"
#include "models/support/scenario.hpp"
#include "models/support/small_queues.hpp"

namespace pto2::scenarios {

template <Policy P>
class TakenWhileAwake : public Roles<P, 2> {
 public:
  static constexpr bool idles = true;
  static constexpr std::array reaches{"it sleeps on", "it was taken while it was awake"};

  void thread(uint32_t i) { i == 0 ? wake_and_push() : schedule(); }

  void finish() { check<P>(parked_.empty(), "nobody is announced any more"); }

 private:
  void wake_and_push() {
    this->bells[1].ring();
    check<P>(queues_.push(0, make_slot(0, 0)), "there is room");
    if (parked_.take_one()) this->bells[1].ring();
  }

  void schedule() {
    for (bool sleeps_on = false;; P::idle()) {
      if (sleeps_on && parked_.is_announced(0)) {
        happened<P>("it sleeps on");
        continue;
      }
      if (sleeps_on) happened<P>("it was taken while it was awake");
      parked_.announce(0);
      ReadyTask task;
      if (queues_.pop(0, task)) break;
      sleeps_on = true;
    }
    parked_.retract(0);
  }

  SmallQueues<P, 1> queues_;
  ParkedSchedulers<P> parked_;
};

}  // namespace pto2::scenarios
