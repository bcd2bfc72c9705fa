/// A scheduler without idle cores (role 0) has more ready tasks than the queue has room for; it
/// sleeps with the rest. Another one (role 1) has an idle core and sleeps when it finds the queue
/// empty. PS-I1, PS-I2: they never both sleep while a task is left.
#pragma once

#include <deque>

#include "core/parked_schedulers.hpp"
#include "models/support/scenario.hpp"
#include "models/support/small_queues.hpp"

namespace pto2::scenarios {

template <Policy P>
class BacklogAgainstPark : public Roles<P, 2> {
 public:
  static constexpr bool idles = true;
  static constexpr std::array reaches{"the backlog rings an idle scheduler",
                                      "an idle scheduler asks for the backlog"};

  void thread(uint32_t i) { i == 0 ? place_all() : take_all(); }

  void finish() {
    check<P>(taken_ == tasks, "every task is taken");
    check<P>(parked_.empty(), "nobody is announced who does not sleep");
  }

 private:
  static constexpr uint32_t room = 2;
  static constexpr uint32_t tasks = room + 1;

  void place_all() {
    std::deque<SlotId> backlog;
    for (uint32_t task = 0; task < tasks; ++task) backlog.push_back(make_slot(0, task));
    for (;;) {
      while (!backlog.empty() && queues_.push(0, backlog.front())) {
        backlog.pop_front();
        wake_one();
      }
      if (backlog.empty()) return;
      parked_.fall_behind(0);
      if (wake_one()) happened<P>("the backlog rings an idle scheduler");
      P::idle();
      parked_.catch_up(0);
    }
  }

  bool wake_one() {
    const auto s = parked_.take_one();
    if (s) this->bells[s->value].ring();
    return s.has_value();
  }

  void take_all() {
    while (taken_ != tasks) {
      if (take()) continue;
      parked_.announce(1);
      if (!take()) {
        parked_.for_each_behind([&](SchedulerId s) {
          happened<P>("an idle scheduler asks for the backlog");
          this->bells[s.value].ring();
        });
        P::idle();
      }
      parked_.retract(1);
    }
  }

  bool take() {
    ReadyTask task;
    if (!queues_.pop(0, task)) return false;
    ++taken_;
    return true;
  }

  SmallQueues<P, 1, room> queues_;
  ParkedSchedulers<P> parked_;
  uint32_t taken_ = 0;  // role 1's
};

}  // namespace pto2::scenarios
