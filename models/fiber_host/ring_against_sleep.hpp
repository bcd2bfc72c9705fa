/// A fiber waits on the only host (role 0), which goes to sleep. Two others (roles 1, 2) ring it,
/// each for an event of its own. FH-I1, FH-I6.
#pragma once

#include "models/support/small_team.hpp"

namespace pto2::scenarios {

template <Policy P>
class RingAgainstSleep : public Roles<P, 3> {
 public:
  static constexpr std::array reaches{"both events have happened at the start",
                                      "the fiber is rung for each event",
                                      "a ring comes after the end"};

  RingAgainstSleep() {
    check<P>(!team_.host(0).has_runnable(), "nothing is to be run before the start");
    team_.start(0, 0);
    check<P>(team_.host(0).has_runnable(), "the fiber is to be run");
  }

  void thread(uint32_t i) { i == 0 ? run_host() : ring(i - 1); }

  void finish() {
    team_.check_end();
    if (team_.host(0).has_in_inbox(0)) happened<P>("a ring comes after the end");
    check<P>(!team_.host(0).seems_runnable(0), "who runs is not runnable any more");
  }

 private:
  void run_host() {
    uint32_t turns = 0;
    team_.run(0, [&](uint32_t, FiberHost<P>&) {
      ++turns;
      const uint32_t seen = (has_happened(0) ? 1 : 0) + (has_happened(1) ? 1 : 0);
      if (turns == 1 && seen == 2) happened<P>("both events have happened at the start");
      if (turns == 3 && seen == 2) happened<P>("the fiber is rung for each event");
      return seen == 2;
    });
  }
  [[nodiscard]] bool has_happened(uint32_t event) const {
    return events_[event].load(std::memory_order_relaxed) != 0;
  }

  void ring(uint32_t event) {
    events_[event].store(1, std::memory_order_relaxed);
    team_.fiber(0).ring(nullptr);
  }

  SmallTeam<P> team_{1, 1};
  std::array<typename P::template atomic<uint32_t>, 2> events_{};
};

}  // namespace pto2::scenarios
