/// The orchestrator (role 0) drops its hold, with one producer early, while two producers (roles
/// 1, 2) notify. FI-I1, FI-I2, FI-I3: one of the three is elected, and sees what the others wrote.
#pragma once

#include "core/fan_in.hpp"
#include "models/support/scenario.hpp"

namespace pto2::scenarios {

template <Policy P>
class HoldAgainstNotify : public Roles<P, 3> {
 public:
  static constexpr std::array reaches{"the hold is the last", "a notification is the last"};

  HoldAgainstNotify() { fan_in_.open(3); }

  void thread(uint32_t i) {
    written_[i].write(1);
    elected_[i] = (i == 0 ? fan_in_.release_hold(1) : fan_in_.notify()) ? 1 : 0;
    if (elected_[i] == 0) return;
    happened<P>(i == 0 ? "the hold is the last" : "a notification is the last");
    for (auto& written : written_) {
      check<P>(written.read() == 1, "the elected sees what the others wrote");
      written.write(2);
    }
  }

  void finish() {
    check<P>(elected_[0] + elected_[1] + elected_[2] == 1, "exactly one is elected");
    check<P>(fan_in_.pending() == 0, "nothing is awaited any more");
    check<P>(fan_in_.invariant_holds(), "the fan-in is whole");
  }

 private:
  FanIn<P> fan_in_;
  std::array<typename P::template cell<uint32_t>, 3> written_;
  std::array<uint32_t, 3> elected_{};  // entry i is role i's
};

}  // namespace pto2::scenarios
