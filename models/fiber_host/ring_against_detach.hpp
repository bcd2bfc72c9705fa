/// A host (role 0) goes into a kernel that ends only when the other fiber of the host, which waits,
/// has ended; role 2 rings it, and the other host (role 1) has no work. FH-I1, FH-I6.
#pragma once

#include "models/support/small_team.hpp"

namespace pto2::scenarios {

template <Policy P>
class RingAgainstDetach : public Roles<P, 3> {
 public:
  RingAgainstDetach() {
    team_.start(0, 0);
    team_.fiber(1).set_home(&team_.host(0));
  }

  void thread(uint32_t i) {
    if (i == 2) return ring();
    team_.run_once(
        i, [&](uint32_t f, FiberHost<P>& host) { return f == 0 ? core(host) : neighbour(); });
    this->ring_all();
  }
  void finish() { team_.check_end(); }

 private:
  bool core(FiberHost<P>& host) {
    host.detach();
    P::await([&] { return ended_.load(std::memory_order_relaxed) == 1; });
    host.attach();
    return true;
  }
  bool neighbour() {
    check<P>(rung_.load(std::memory_order_relaxed) == 1, "what came before the ring is seen");
    ended_.store(1, std::memory_order_relaxed);
    this->ring_all();
    return true;
  }
  void ring() {
    rung_.store(1, std::memory_order_relaxed);
    team_.fiber(1).ring(nullptr);
  }

  SmallTeam<P> team_{2, 2};
  typename P::template atomic<uint32_t> rung_{0}, ended_{0};
};

}  // namespace pto2::scenarios
