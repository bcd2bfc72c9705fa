/// Role 2 rings a fiber twice, whose host (role 0) is inside a kernel until the fiber has ended;
/// the other host (role 1) takes it with the first ring, and the second one follows it, or comes
/// with the first. FH-I1, FH-I3, FH-I6.
#pragma once

#include "models/support/small_team.hpp"

namespace pto2::scenarios {

template <Policy P>
class RingAgainstSteal : public Roles<P, 3> {
 public:
  static constexpr std::array reaches{"one turn is enough", "the second ring follows the fiber"};

  RingAgainstSteal() {
    team_.start(0, 0);
    team_.fiber(1).set_home(&team_.host(0));
  }

  void thread(uint32_t i) {
    if (i == 2) return ring_twice();
    if (i == 1) P::await([&] { return inside_.load(std::memory_order_acquire) == 1; });
    team_.run_once(
        i, [&](uint32_t f, FiberHost<P>& host) { return f == 0 ? core(host) : neighbour(); });
    this->ring_all();
  }
  void finish() { team_.check_end(); }

 private:
  bool core(FiberHost<P>& host) {
    host.detach();
    inside_.store(1, std::memory_order_release);
    this->ring_all();
    P::await([&] { return ended_.load(std::memory_order_relaxed) == 1; });
    host.attach();
    return true;
  }
  bool neighbour() {
    turns_.write(turns_.read() + 1);
    if (rings_.load(std::memory_order_relaxed) != 2) return false;
    happened<P>(turns_.read() == 1 ? "one turn is enough" : "the second ring follows the fiber");
    ended_.store(1, std::memory_order_relaxed);
    this->ring_all();
    return true;
  }
  void ring_twice() {
    P::await([&] { return inside_.load(std::memory_order_acquire) == 1; });
    for (uint32_t ring = 1; ring <= 2; ++ring) {
      rings_.store(ring, std::memory_order_relaxed);
      team_.fiber(1).ring(nullptr);
    }
  }

  SmallTeam<P> team_{2, 2};
  typename P::template cell<uint32_t> turns_{0};
  typename P::template atomic<uint32_t> rings_{0}, inside_{0}, ended_{0};
};

}  // namespace pto2::scenarios
