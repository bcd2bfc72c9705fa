/// A host (role 0) hands a fiber over to another one (role 1), while role 2 rings the fiber: where
/// it was, or where it goes. Hosts without work poll. FH-I2, FH-I3, FH-I6.
#pragma once

#include "models/support/small_team.hpp"

namespace pto2::scenarios {

template <Policy P>
class HandOverAgainstRing : public Roles<P, 3> {
 public:
  static constexpr std::array reaches{"the hand-over is ring enough",
                                      "the ring comes to the new home, or follows the fiber there"};

  HandOverAgainstRing() { team_.start(0, 0); }

  void thread(uint32_t i) {
    if (i == 2) return ring();
    FiberHost<P>& host = team_.host(i);
    team_.run_once(
        i, [&](uint32_t, FiberHost<P>&) { return turn(host); },
        [&] {
          this->ring_all();  // a ring may have been sent on
          P::await([&] { return team_.is_over() || host.has_mail(); });
          return true;
        });
    this->ring_all();
  }
  void finish() {
    team_.check_end();
    check<P>(team_.fiber(0).home() == &team_.host(1), "who got the fiber is its home");
  }

 private:
  bool turn(FiberHost<P>& host) {
    const uint32_t turns = turns_.read();
    turns_.write(turns + 1);
    check<P>((&host == &team_.host(0)) == (turns == 0), "the next turn is where it was handed to");
    if (turns == 0) {
      host.hand_over(team_.fiber(0), team_.host(1));
      return false;
    }
    if (rung_.load(std::memory_order_relaxed) == 0) return false;
    happened<P>(turns == 1 ? "the hand-over is ring enough"
                           : "the ring comes to the new home, or follows the fiber there");
    return true;
  }
  void ring() {
    rung_.store(1, std::memory_order_relaxed);
    team_.fiber(0).ring(nullptr);
    this->ring_all();
  }

  SmallTeam<P> team_{2, 1};
  typename P::template cell<uint32_t> turns_{0};
  typename P::template atomic<uint32_t> rung_{0};
};

}  // namespace pto2::scenarios
