/// The orchestrator (role 0) says that tasks of a rare type come, rings everybody, and makes one
/// ready; two schedulers (roles 1, 2) look for such tasks, and announce themselves for them, only
/// once they have learnt that. PS-I1: neither the word nor the push finds them all asleep and
/// leaves them so.
#pragma once

#include "core/parked_schedulers.hpp"
#include "core/startup.hpp"
#include "models/support/scenario.hpp"
#include "models/support/small_queues.hpp"

namespace pto2::scenarios {

template <Policy P>
class RareTaskAgainstPark : public Roles<P, 3> {
 public:
  static constexpr bool idles = true;
  static constexpr std::array reaches{"a scheduler sleeps unannounced",
                                      "a scheduler sleeps announced", "a push wakes a scheduler"};

  void thread(uint32_t i) { i == 0 ? push_one() : schedule(i - 1); }

  void finish() {
    check<P>(taken_.load(std::memory_order_acquire) == 1, "the task is taken");
    check<P>(parked_.empty(), "nobody is announced who does not sleep");
  }

 private:
  void push_one() {
    rare_.set();
    for (uint32_t s = 0; s < 2; ++s) this->bells[1 + s].ring();
    check<P>(queues_.push_orchestrators(make_slot(0, 0)), "there is room");
    if (const auto s = parked_.take_one_peeking()) {
      happened<P>("a push wakes a scheduler");
      this->bells[1 + s->value].ring();
    }
    P::await([&] { return taken_.load(std::memory_order_acquire) == 1; });
    done_.set();
    this->ring_all();
  }

  /// Whoever is woken by a core of its own as well looks for tasks before it sleeps only.
  void schedule(uint32_t s) {
    bool rare = false;
    while (!done_.is_set()) {
      rare = rare || rare_.is_set();
      const bool announced = rare;
      if (announced) parked_.announce(SchedulerId(s));
      if (!take(s, rare)) {
        happened<P>(announced ? "a scheduler sleeps announced" : "a scheduler sleeps unannounced");
        P::idle();
      }
      if (announced) parked_.retract(SchedulerId(s));
    }
  }

  bool take(uint32_t s, bool& rare) {
    rare = rare || rare_.is_set();
    ReadyTask task;
    if (!rare || !queues_.pop(s, task)) return false;
    taken_.fetch_add(1, std::memory_order_acq_rel);
    this->bells[0].ring();
    return true;
  }

  SmallQueues<P, 2> queues_;
  ParkedSchedulers<P> parked_;
  Flag<P> rare_;
  Flag<P> done_;
  typename P::template atomic<uint32_t> taken_{0};
};

}  // namespace pto2::scenarios
