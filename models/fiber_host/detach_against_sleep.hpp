/// A host (role 0) goes into a kernel that ends only when the other fiber of the host has ended;
/// the other host (role 1) has no work and goes to sleep. FH-I1, FH-I2, FH-I4, FH-I5.
#pragma once

#include "models/support/small_team.hpp"

namespace pto2::scenarios {

template <Policy P>
class DetachAgainstSleep : public Roles<P, 2> {
 public:
  DetachAgainstSleep() {
    for (uint32_t f = 0; f < 2; ++f) team_.start(f, 0);
  }

  void thread(uint32_t i) {
    team_.run(
        i, [&](uint32_t f, FiberHost<P>& host) { return f == 0 ? core(host) : neighbour(host); });
  }
  void finish() {
    team_.check_end();
    check<P>(team_.fiber(1).home() == &team_.host(1), "the thief is the fiber's home");
  }

 private:
  bool core(FiberHost<P>& host) {
    // The core has been rung, too: nobody may take it.
    team_.fiber(0).ring(&host);
    host.detach();
    P::await([&] { return neighbour_ended_.load(std::memory_order_relaxed) == 1; });
    host.attach();
    return true;
  }
  bool neighbour(FiberHost<P>& host) {
    check<P>(&host == &team_.host(1), "the core's host is inside the kernel");
    neighbour_ended_.store(1, std::memory_order_relaxed);
    this->ring_all();
    return true;
  }

  SmallTeam<P> team_{2, 2};
  typename P::template atomic<uint32_t> neighbour_ended_{0};
};

}  // namespace pto2::scenarios
