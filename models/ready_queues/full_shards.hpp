/// A scheduler (role 0) makes tasks ready, of which its shard has no room for all, while another
/// one (role 1) fills its own; the first one is the only one who pops. RQ-I1, RQ-I2: what is
/// refused is kept and pushed again, nobody waits inside a push, and each task is popped once.
#pragma once

#include "models/support/scenario.hpp"
#include "models/support/small_queues.hpp"

namespace pto2::scenarios {

template <Policy P>
class FullShards : public Roles<P, 2> {
 public:
  static constexpr uint32_t own_tasks = sized<P>(2, 4);
  static constexpr uint32_t tasks = own_tasks + 1;
  static constexpr std::array reaches{"a push is refused", "all are pushed at once"};

  void thread(uint32_t i) { i == 0 ? schedule() : fill(); }

  void finish() {
    for (const uint32_t popped : popped_) check<P>(popped == 1, "each task is popped once");
    check<P>(queues_.invariant_holds(), "the queues are whole");
  }

 private:
  void fill() {
    P::await([&] { return queues_.push(1, make_slot(0, own_tasks)); });
    this->bells[0].ring();
  }

  void schedule() {
    uint32_t kept = 0;  // tasks from here on are not pushed yet
    while (kept < own_tasks && queues_.push(0, make_slot(0, kept))) ++kept;
    happened<P>(kept < own_tasks ? "a push is refused" : "all are pushed at once");
    for (uint32_t popped = 0; popped < tasks; ++popped) {
      ReadyTask task;
      P::await([&] { return queues_.pop(0, task); });
      this->bells[1].ring();
      ++popped_[index_of(task.slot)];
      while (kept < own_tasks && queues_.push(0, make_slot(0, kept))) ++kept;
    }
  }

  SmallQueues<P, 2, sized<P>(1, 2)> queues_;
  std::array<uint32_t, tasks> popped_{};  // the scheduler's
};

}  // namespace pto2::scenarios
