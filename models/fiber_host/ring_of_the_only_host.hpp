/// The only host of its team (role 0) goes into a kernel and comes back; role 1 rings the other
/// fiber, before, while or after it is inside. FH-I6.
#pragma once

#include "models/support/small_team.hpp"

namespace pto2::scenarios {

template <Policy P>
class RingOfTheOnlyHost : public Roles<P, 2> {
 public:
  static constexpr std::array reaches{"the ring comes before the kernel",
                                      "the ring comes during the kernel",
                                      "the ring comes after the kernel"};

  RingOfTheOnlyHost() {
    team_.start(0, 0);
    team_.fiber(1).set_home(&team_.host(0));
  }

  void thread(uint32_t i) {
    if (i == 1) return ring();
    team_.run(0, [&](uint32_t f, FiberHost<P>& host) { return f == 0 ? core(host) : neighbour(); });
  }
  void finish() { team_.check_end(); }

 private:
  bool core(FiberHost<P>& host) {
    const bool early = is_rung(host);
    host.detach();
    check<P>(host.seems_detached(), "a host shows that it is inside a kernel");
    host.attach();
    happened<P>(early           ? "the ring comes before the kernel"
                : is_rung(host) ? "the ring comes during the kernel"
                                : "the ring comes after the kernel");
    return true;
  }
  [[nodiscard]] bool is_rung(const FiberHost<P>& host) const {
    return neighbour_ran_ || host.has_mail() || host.has_runnable();
  }
  bool neighbour() {
    neighbour_ran_ = true;
    check<P>(rung_.load(std::memory_order_relaxed) == 1, "what came before the ring is seen");
    return true;
  }
  void ring() {
    rung_.store(1, std::memory_order_relaxed);
    team_.fiber(1).ring(nullptr);
  }

  SmallTeam<P> team_{1, 2};
  bool neighbour_ran_ = false;  // role 0's
  typename P::template atomic<uint32_t> rung_{0};
};

}  // namespace pto2::scenarios
