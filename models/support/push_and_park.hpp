/// What the scenarios share in which pushes wake two schedulers that sleep.
#pragma once

#include "core/parked_schedulers.hpp"
#include "core/startup.hpp"
#include "models/support/scenario.hpp"
#include "models/support/small_queues.hpp"

namespace pto2::scenarios {

/// A pusher (role 0) makes one task ready at a time and goes on when it was taken; two schedulers
/// (roles 1, 2) sleep when the queues are empty. `Push`, called with the queues, who is parked, and
/// the task, pushes it and takes who is to be rung for it.
template <Policy P, class Push>
class PushAndPark : public Roles<P, 3> {
 public:
  static constexpr uint32_t tasks = sized<P>(1, 2);
  static constexpr bool idles = true;
  static constexpr std::array reaches{"a scheduler sleeps", "a push wakes a scheduler"};

  void thread(uint32_t i) { i == 0 ? push_all() : schedule(i - 1); }

  void finish() {
    check<P>(taken_.load(std::memory_order_acquire) == tasks, "every task is taken");
    check<P>(parked_.empty(), "nobody is announced who does not sleep");
    check<P>(parked_.invariant_holds(2) && queues_.invariant_holds(), "both pieces are whole");
  }

 private:
  void push_all() {
    for (uint32_t task = 0; task < tasks; ++task) {
      if (const auto s = Push()(queues_, parked_, make_slot(0, task))) {
        happened<P>("a push wakes a scheduler");
        this->bells[1 + s->value].ring();
      }
      P::await([&] { return taken_.load(std::memory_order_acquire) == task + 1; });
    }
    done_.set();
    this->ring_all();
  }

  void schedule(uint32_t s) {
    while (!done_.is_set()) {
      if (take(s)) continue;
      parked_.announce(SchedulerId(s));
      if (!take(s)) {
        happened<P>("a scheduler sleeps");
        P::idle();
      }
      parked_.retract(SchedulerId(s));
    }
  }

  bool take(uint32_t s) {
    ReadyTask task;
    if (!queues_.pop(s, task)) return false;
    taken_.fetch_add(1, std::memory_order_acq_rel);
    this->bells[0].ring();
    return true;
  }

  SmallQueues<P, 2> queues_;
  ParkedSchedulers<P> parked_;
  Flag<P> done_;
  typename P::template atomic<uint32_t> taken_{0};
};

}  // namespace pto2::scenarios
