/// A pusher (role 0) makes one task ready at a time and goes on when it was taken; two schedulers
/// (roles 1, 2) sleep when the queues are empty. PS-I1: no push finds them all asleep and leaves
/// them so.
#pragma once

#include "core/parked_schedulers.hpp"
#include "core/ready_queues.hpp"
#include "core/startup.hpp"
#include "models/support/scenario.hpp"

namespace pto2::scenarios {

template <Policy P>
class PushAgainstPark : public Roles<P, 3> {
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
  using Queue = typename P::template bounded_queue<SlotId>;

  void push_all() {
    for (uint32_t task = 0; task < tasks; ++task) {
      check<P>(queues_.push(queues_.orchestrator_shard(), make_slot(0, task)), "there is room");
      if (const auto s = parked_.take_one()) {
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

  Queue first_{2}, second_{2}, orchestrator_{2};
  std::array<Queue*, 3> shards_{&first_, &second_, &orchestrator_};
  ReadyQueues<P> queues_{shards_};
  ParkedSchedulers<P> parked_;
  Flag<P> done_;
  typename P::template atomic<uint32_t> taken_{0};
};

}  // namespace pto2::scenarios
