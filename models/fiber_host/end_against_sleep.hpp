/// The last fiber ends on one host (role 0) while the other one (role 1), which never had work,
/// goes to sleep. FH-I5.
#pragma once

#include "models/support/small_team.hpp"

namespace pto2::scenarios {

template <Policy P>
class EndAgainstSleep : public Roles<P, 2> {
 public:
  EndAgainstSleep() { team_.start(0, 0); }

  void thread(uint32_t i) {
    team_.run(i, [](uint32_t, FiberHost<P>&) { return true; });
  }
  void finish() { team_.check_end(); }

 private:
  SmallTeam<P> team_{2, 1};
};

}  // namespace pto2::scenarios
