/// Somebody (role 0) pushes tasks one by one and rings after each; the owner (role 1) sleeps when
/// its inbox is empty. PD-I1, PD-I2, PD-I5: it takes each, and does not sleep beside one.
#pragma once

#include "core/pinned_dispatch.hpp"
#include "models/support/scenario.hpp"

namespace pto2::scenarios {

template <Policy P>
class PushAgainstSleep : public Roles<P, 2> {
 public:
  static constexpr uint32_t tasks = 2;
  static constexpr bool idles = true;
  static constexpr std::array reaches{"the owner sleeps", "one ring tells of both tasks"};

  void thread(uint32_t i) { i == 0 ? push_all() : own(); }

  void finish() { check<P>(inbox_.empty(), "nothing is left in the inbox"); }

 private:
  void push_all() {
    for (uint32_t task = 0; task < tasks; ++task) {
      work_[task].write(task + 1);
      inbox_.push(make_slot(0, task), links_[task]);
      this->bells[1].ring();
    }
  }

  void own() {
    uint32_t taken = 0;
    while (taken < tasks) {
      const uint32_t before = taken;
      inbox_.take_all(
          [&](SlotId p) -> auto& { return links_[index_of(p)]; },
          [&](SlotId task) {
            check<P>(index_of(task) == taken, "the tasks come in order, each once");
            check<P>(work_[taken].read() == taken + 1, "the task is as its pusher wrote it");
            ++taken;
          });
      if (before == 0 && taken == tasks) happened<P>("one ring tells of both tasks");
      if (taken == tasks || !inbox_.empty()) continue;
      happened<P>("the owner sleeps");
      P::idle();
    }
  }

  PinnedInbox<P> inbox_;
  std::array<typename PinnedInbox<P>::Link, tasks> links_;
  std::array<typename P::template cell<uint32_t>, tasks> work_;
};

}  // namespace pto2::scenarios
