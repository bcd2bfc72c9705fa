/// A fiber whose kernel waits, at a host (role 0) that is inside the kernel of another one, is rung
/// by role 1, which then looks for what there is to take. FH-I3, FH-I4.
#pragma once

#include "models/support/small_team.hpp"

namespace pto2::scenarios {

template <Policy P>
class KeptAgainstSteal : public Roles<P, 2> {
 public:
  static constexpr std::array reaches{"the ring comes during the kernel",
                                      "the ring comes after the kernel"};

  KeptAgainstSteal() {
    for (uint32_t f = 0; f < 2; ++f) team_.start(f, 0);
  }

  void thread(uint32_t i) {
    if (i == 1) return thief();
    team_.run(0,
              [&](uint32_t f, FiberHost<P>& host) { return f == 0 ? waiting() : neighbour(host); });
  }
  void finish() { team_.check_end(); }

 private:
  /// Its first turn ends in a wait, its second one is what follows.
  bool waiting() {
    if (turns_.read() == 0) {
      turns_.write(1);
      team_.fiber(0).keep(true);
      return false;
    }
    team_.fiber(0).keep(false);
    return true;
  }
  bool neighbour(FiberHost<P>& host) {
    host.detach();
    inside_.store(1, std::memory_order_release);
    this->ring_all();
    host.attach();
    happened<P>(host.has_mail() || host.has_runnable() ? "the ring comes during the kernel"
                                                       : "the ring comes after the kernel");
    return true;
  }
  void thief() {
    P::await([&] { return inside_.load(std::memory_order_acquire) == 1; });
    team_.fiber(0).ring(nullptr);
    check<P>(!team_.host(1).steal_from(team_.host(0)), "FH-I4: a fiber that is kept is not taken");
  }

  SmallTeam<P> team_{2, 2};
  typename P::template cell<uint32_t> turns_{0};
  typename P::template atomic<uint32_t> inside_{0};
};

}  // namespace pto2::scenarios
