/// The owner (role 0) takes a task and lets its slot be used again; its pusher (role 1) pushes the
/// slot's next task, while another one (role 2) may still link its own to the former. PD-I1, PD-I2,
/// PD-I4: each of the three lives is taken once, and the lists stay whole.
#pragma once

#include "core/pinned_dispatch.hpp"
#include "core/startup.hpp"
#include "models/support/scenario.hpp"

namespace pto2::scenarios {

template <Policy P>
class SlotPushedAgain : public Roles<P, 3> {
 public:
  static constexpr std::array reaches{"the other task is linked to the slot's second life",
                                      "the other task comes between the two lives"};

  void thread(uint32_t i) {
    if (i == 0) return own();
    if (i == 2) return push(1, 3);
    push(0, 1);
    P::await([&] { return ended_.is_set(); });
    push(0, 2);
  }

  void finish() { check<P>(inbox_.empty(), "nothing is left in the inbox"); }

 private:
  static constexpr uint32_t slots = 2;
  static constexpr uint32_t lives = 3;

  void push(uint32_t slot, uint32_t life) {
    work_[slot].write(life);
    inbox_.push(make_slot(0, slot), links_[slot]);
    this->bells[0].ring();
  }

  void own() {
    std::array<uint32_t, lives> turn{};
    for (uint32_t taken = 0; taken < lives;) {
      P::await([&] { return !inbox_.empty(); });
      inbox_.take_all(
          [&](SlotId p) -> auto& { return links_[index_of(p)]; },
          [&](SlotId task) {
            const uint32_t life = work_[index_of(task)].read();
            check<P>(life != 0 && turn[life - 1] == 0, "each life is taken once");
            turn[life - 1] = ++taken;
            if (life != 1) return;
            ended_.set();
            this->bells[1].ring();
          });
    }
    check<P>(turn[0] < turn[1], "a slot's lives come in order");
    if (turn[2] == 3) happened<P>("the other task is linked to the slot's second life");
    if (turn[2] == 2) happened<P>("the other task comes between the two lives");
  }

  PinnedInbox<P> inbox_;
  std::array<typename PinnedInbox<P>::Link, slots> links_;
  std::array<typename P::template cell<uint32_t>, slots> work_;
  Flag<P> ended_;
};

}  // namespace pto2::scenarios
