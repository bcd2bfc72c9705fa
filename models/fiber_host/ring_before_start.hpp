/// A team is settled and begins (role 0), while somebody (role 1) rings its fiber, which may not
/// have a home yet. FH-I6: the first look of the fiber sees what came before the ring, or the ring
/// comes later.
#pragma once

#include "models/fiber_host/small_team.hpp"

namespace pto2::scenarios {

template <Policy P>
class RingBeforeStart : public Roles<P, 2> {
 public:
  static constexpr std::array reaches{"the first look is enough", "the ring comes later"};

  void thread(uint32_t i) { i == 0 ? begin() : ring(); }
  void finish() { team_.check_end(); }

 private:
  void begin() {
    team_.fiber(0).set_home(&team_.host(0));
    team_.host(0).ring_here(0);
    uint32_t looks = 0;
    team_.run(0, [&](uint32_t, FiberHost<P>&) {
      ++looks;
      if (rung_.load(std::memory_order_relaxed) == 0) return false;
      happened<P>(looks == 1 ? "the first look is enough" : "the ring comes later");
      return true;
    });
  }
  void ring() {
    rung_.store(1, std::memory_order_relaxed);
    team_.fiber(0).ring(nullptr);
  }

  SmallTeam<P> team_{1, 1};
  typename P::template atomic<uint32_t> rung_{0};
};

}  // namespace pto2::scenarios
