/// A host (role 0) goes into a kernel and comes back at once, while another one (role 1) takes the
/// other fiber, or does not come to it. FH-I2, FH-I3, FH-I5.
#pragma once

#include "models/support/small_team.hpp"

namespace pto2::scenarios {

template <Policy P>
class StealAgainstAttach : public Roles<P, 2> {
 public:
  static constexpr std::array reaches{"the fiber is taken", "the fiber stays"};

  StealAgainstAttach() {
    for (uint32_t f = 0; f < 2; ++f) team_.start(f, 0);
  }

  void thread(uint32_t i) {
    team_.run(
        i, [&](uint32_t f, FiberHost<P>& host) { return f == 0 ? core(host) : neighbour(host); });
  }
  void finish() { team_.check_end(); }

 private:
  bool core(FiberHost<P>& host) {
    host.detach();
    check<P>(host.seems_detached(), "a host shows that it is inside a kernel, robbed or not");
    host.attach();
    return true;
  }
  bool neighbour(FiberHost<P>& host) {
    happened<P>(&host == &team_.host(1) ? "the fiber is taken" : "the fiber stays");
    return true;
  }

  SmallTeam<P> team_{2, 2};
};

}  // namespace pto2::scenarios
