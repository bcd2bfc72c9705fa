/// At the first host (role 0) a fiber has the hosts join and part again, and one at the second
/// (role 1) has them join, too, while role 2 rings that one, which waits. Hosts without work poll.
/// HP-I1.
#pragma once

#include "core/host_pair.hpp"
#include "models/support/small_team.hpp"

namespace pto2::scenarios {

template <Policy P>
class JoinAgainstRing : public Roles<P, 3> {
 public:
  static constexpr std::array reaches{"it runs at the first host", "it runs at the second host"};

  JoinAgainstRing() {
    for (uint32_t f = 0; f < 2; ++f) team_.start(f, f);
  }

  void thread(uint32_t i) {
    if (i == 2) return ring();
    team_.run_polling(
        i, [&](uint32_t f, FiberHost<P>& host) { return f == 0 ? join() : turn(host); }, [] {},
        [this] { this->ring_all(); });
  }
  void finish() { team_.check_end(); }

 private:
  bool join() {
    pair_.join();
    pair_.part();
    return true;
  }
  /// Of the fiber that is rung: whether it has seen that.
  bool turn(FiberHost<P>& host) {
    const auto any = [](const HostedFiber<P>&) { return true; };
    FiberHost<P>& second = team_.host(1);
    if (&host == &second &&
        !pair_.runs_at_second(team_.fiber(1), second, team_.host(0), team_.all_fibers(), any)) {
      return false;
    }
    if (rung_.load(std::memory_order_relaxed) == 0) {
      pair_.join();
      return false;
    }
    happened<P>(&host == &second ? "it runs at the second host" : "it runs at the first host");
    return true;
  }
  void ring() {
    rung_.store(1, std::memory_order_relaxed);
    team_.fiber(1).ring(nullptr);
    this->ring_all();
  }

  SmallTeam<P> team_{2, 2};
  HostPair<P> pair_{false};
  typename P::template atomic<uint32_t> rung_{0};
};

}  // namespace pto2::scenarios
