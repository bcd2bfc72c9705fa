/// Two pushers (roles 0, 1) with more tasks than the shards hold, two poppers (roles 2, 3) that
/// steal; the second one leaves after its first task. RQ-I1, RQ-I2, RQ-I3: each task is popped
/// once, none is dropped, and the popper sees what the pusher wrote.
#pragma once

#include "models/support/scenario.hpp"
#include "models/support/small_queues.hpp"

namespace pto2::scenarios {

template <Policy P>
class ExactlyOnce : public Roles<P, 4> {
 public:
  static constexpr uint32_t tasks_per_pusher = sized<P>(2, 5);
  static constexpr uint32_t tasks = 2 * tasks_per_pusher;
  static constexpr uint32_t capacity = sized<P>(1, 2);

  static constexpr std::array reaches{"a task is stolen"};

  void thread(uint32_t i) { i < 2 ? push_all(i) : pop_all(i - 2); }

  void finish() {
    for (auto& popped : popped_) {
      check<P>(popped.load(std::memory_order_acquire) == 1, "each task is popped once");
    }
    ReadyTask none;
    check<P>(!queues_.pop(0, none), "nothing is left");
    check<P>(queues_.invariant_holds(), "the queues are whole");
  }

 private:
  void push_all(uint32_t pusher) {
    for (uint32_t i = 0; i < tasks_per_pusher; ++i) {
      const uint32_t task = pusher * tasks_per_pusher + i;
      results_[task].write(task + 1);
      // A full queue pushes back: the pusher keeps the task until one was popped.
      P::await([&] { return queues_.push(pusher, make_slot(0, task)); });
      this->ring_all();
    }
  }

  void pop_all(uint32_t popper) {
    ReadyTask task;
    while (next(popper, task)) {
      const uint32_t number = index_of(task.slot);
      check<P>(results_[number].read() == number + 1, "the popper sees what the pusher wrote");
      popped_[number].fetch_add(1, std::memory_order_acq_rel);
      total_.fetch_add(1, std::memory_order_acq_rel);
      this->ring_all();
      if (task.stolen) happened<P>("a task is stolen");
      if (popper == 1) return;
    }
  }

  /// The next task. False: all were popped.
  bool next(uint32_t popper, ReadyTask& task) {
    bool popped = false;
    P::await([&] {
      popped = queues_.pop(popper, task);
      return popped || total_.load(std::memory_order_acquire) == tasks;
    });
    return popped;
  }

  SmallQueues<P, 2, capacity> queues_;
  std::array<typename P::template cell<uint32_t>, tasks> results_;
  std::array<typename P::template atomic<uint32_t>, tasks> popped_;
  typename P::template atomic<uint32_t> total_{0};
};

}  // namespace pto2::scenarios
