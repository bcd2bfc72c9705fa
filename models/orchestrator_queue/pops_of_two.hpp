/// The orchestrator (role 0) pushes one task more than there is room for; two schedulers (roles 1,
/// 2) pop them. OQ-I1, OQ-I2, OQ-I3: each task is popped once, by one scheduler in the order of the
/// pushes, none is dropped or overwritten, and who pops it sees what was written before.
#pragma once

#include "core/orchestrator_queue.hpp"
#include "models/support/scenario.hpp"

namespace pto2::scenarios {

template <Policy P>
class PopsOfTwo : public Roles<P, 3> {
 public:
  static constexpr uint32_t room = 2;
  static constexpr uint32_t tasks = room + sized<P>(1, 5);
  static constexpr std::array reaches{"both pop", "the orchestrator waits for room"};

  void thread(uint32_t i) { i == 0 ? push_all() : pop_all(i - 1); }

  void finish() {
    for (auto& popped : popped_) {
      check<P>(popped.load(std::memory_order_acquire) == 1, "each task is popped once");
    }
    SlotId none;
    check<P>(!queue_.try_pop(none), "nothing is left");
    check<P>(queue_.invariant_holds() && queue_.pushed() == tasks, "the queue is whole");
    if (has_popped_[0] && has_popped_[1]) happened<P>("both pop");
  }

 private:
  void push_all() {
    for (uint32_t task = 0; task < tasks; ++task) {
      results_[task].write(task + 1);
      if (queue_.try_push(make_slot(0, task))) {
        this->ring_all();
        continue;
      }
      happened<P>("the orchestrator waits for room");
      P::await([&] { return queue_.try_push(make_slot(0, task)); });
      this->ring_all();
    }
  }

  void pop_all(uint32_t popper) {
    uint32_t least = 0;
    for (SlotId slot; next(slot);) {
      const uint32_t task = index_of(slot);
      check<P>(task >= least, "in the order of the pushes");
      least = task + 1;
      check<P>(results_[task].read() == task + 1, "the popper sees what was written");
      popped_[task].fetch_add(1, std::memory_order_relaxed);
      has_popped_[popper] = true;
      total_.fetch_add(1, std::memory_order_release);
      this->ring_all();
    }
  }

  /// False: all were popped.
  bool next(SlotId& slot) {
    bool popped = false;
    P::await([&] {
      popped = queue_.try_pop(slot);
      return popped || total_.load(std::memory_order_acquire) == tasks;
    });
    return popped;
  }

  std::array<typename OrchestratorQueue<P>::Entry, room> entries_;
  OrchestratorQueue<P> queue_{entries_};
  std::array<typename P::template cell<uint32_t>, tasks> results_;
  std::array<typename P::template atomic<uint32_t>, tasks> popped_;
  typename P::template atomic<uint32_t> total_{0};
  std::array<bool, 2> has_popped_{};  // entry i is role i + 1's
};

}  // namespace pto2::scenarios
