/// Three kernels side by side on three hosts: role 0 is inside one and leaves two fibers behind; a
/// thief (roles 1, 2) that takes one and goes into its kernel leaves the other one for the next
/// thief, who may be about to sleep. Role 1 looks around before it sleeps. FH-I1, FH-I4.
#pragma once

#include "models/support/small_team.hpp"

namespace pto2::scenarios {

template <Policy P>
class ThiefAgainstThief : public Roles<P, 3> {
 public:
  ThiefAgainstThief() {
    for (uint32_t f = 0; f < kernels; ++f) team_.start(f, 0);
  }

  void thread(uint32_t i) {
    if (i != 0) P::await([&] { return inside_.load(std::memory_order_acquire) != 0; });
    const auto kernel = [&](uint32_t, FiberHost<P>& host) {
      host.detach();
      (void)inside_.fetch_add(1, std::memory_order_acq_rel);
      this->ring_all();
      P::await([&] { return inside_.load(std::memory_order_relaxed) == kernels; });
      host.attach();
      return true;
    };
    const auto look_around = [&] { return i == 1 && team_.host(1).steal_from(team_.host(0)); };
    team_.run_once(i, kernel, look_around);
    this->ring_all();
  }
  void finish() { team_.check_end(); }

 private:
  static constexpr uint32_t kernels = 3;

  SmallTeam<P> team_{3, kernels};
  typename P::template atomic<uint32_t> inside_{0};
};

}  // namespace pto2::scenarios
