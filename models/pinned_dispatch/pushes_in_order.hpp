/// Two threads (roles 1, 2) push tasks to one inbox, whose owner (role 0) takes them meanwhile.
/// PD-I1, PD-I2, PD-I3: each is taken once, as it was written, and those of one thread in order.
#pragma once

#include "core/pinned_dispatch.hpp"
#include "models/support/scenario.hpp"

namespace pto2::scenarios {

template <Policy P>
class PushesInOrder : public Roles<P, 3> {
 public:
  static constexpr std::array reaches{"tasks of both are taken at once",
                                      "a task comes between those of the other"};

  void thread(uint32_t i) {
    if (i == 0) return own();
    for (uint32_t task = first_of[i - 1]; task < first_of[i]; ++task) {
      work_[task].write(task + 1);
      inbox_.push(make_slot(1, task), links_[task]);
      this->bells[0].ring();
    }
  }

  void finish() { check<P>(inbox_.empty(), "nothing is left in the inbox"); }

 private:
  static constexpr uint32_t tasks = 3;
  static constexpr std::array<uint32_t, 3> first_of{0, 2, tasks};  // role 1 has two tasks

  void own() {
    std::array<uint32_t, tasks> turn{};
    for (uint32_t taken = 0; taken < tasks;) {
      P::await([&] { return !inbox_.empty(); });
      const uint32_t before = taken;
      inbox_.take_all(
          [&](SlotId p) -> auto& { return links_[index_of(p)]; },
          [&](SlotId task) {
            const uint32_t index = index_of(task);
            check<P>(ring_of(task) == 1 && index < tasks && turn[index] == 0, "each is taken once");
            check<P>(work_[index].read() == index + 1, "the task is as its pusher wrote it");
            turn[index] = ++taken;
          });
      if (taken - before == tasks) happened<P>("tasks of both are taken at once");
    }
    check<P>(turn[0] < turn[1], "the tasks of one thread come in order");
    if (turn[2] == 2) happened<P>("a task comes between those of the other");
  }

  PinnedInbox<P> inbox_;
  std::array<typename PinnedInbox<P>::Link, tasks> links_;
  std::array<typename P::template cell<uint32_t>, tasks> work_;
};

}  // namespace pto2::scenarios
