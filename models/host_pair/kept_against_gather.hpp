/// The second host (role 1) of a joint pair has a fiber whose kernel waits, and another one, which
/// it hands to the first host (role 0) as it is about to run one of them, or has none to run. Role
/// 2 rings the one that is kept, which goes on where it is. Hosts without work poll. HP-I1, FH-I4.
#pragma once

#include "core/host_pair.hpp"
#include "models/support/small_team.hpp"

namespace pto2::scenarios {

template <Policy P>
class KeptAgainstGather : public Roles<P, 3> {
 public:
  static constexpr std::array reaches{"the ring comes before the first turn",
                                      "the ring comes after the first turn"};

  KeptAgainstGather() {
    team_.start(kept, 1);
    team_.start(other, 1);
    team_.fiber(kept).keep(true);
  }

  void thread(uint32_t i) {
    if (i == 2) return ring();
    team_.run_polling(
        i, [&](uint32_t f, FiberHost<P>& host) { return turn(f, host); },
        [&] {
          if (i == 1) pair_.gather(team_.host(1), team_.host(0), team_.all_fibers(), waits_);
        },
        [this] { this->ring_all(); });
  }
  void finish() {
    team_.check_end();
    check<P>(team_.fiber(other).home() == &team_.host(0), "the other one was handed over");
  }

 private:
  enum : uint32_t { kept, other };

  /// Of fiber `f`: whether it has ended by it.
  bool turn(uint32_t f, FiberHost<P>& host) {
    FiberHost<P>& second = team_.host(1);
    if (&host == &second &&
        !pair_.runs_at_second(team_.fiber(f), second, team_.host(0), team_.all_fibers(), waits_)) {
      return false;
    }
    if (f == other) return true;
    check<P>(&host == &second, "FH-I4: who is kept goes on where its kernel waits");
    const bool is_first = turns_++ == 0;
    if (rung_.load(std::memory_order_relaxed) == 0) return false;
    happened<P>(is_first ? "the ring comes before the first turn"
                         : "the ring comes after the first turn");
    team_.fiber(kept).keep(false);
    return true;
  }
  void ring() {
    rung_.store(1, std::memory_order_relaxed);
    team_.fiber(kept).ring(nullptr);
    this->ring_all();
  }

  SmallTeam<P> team_{2, 2};
  HostPair<P> pair_{true};
  typename P::template atomic<uint32_t> rung_{0};
  uint32_t turns_ = 0;  // of the one that is kept
  const decltype(team_.not_ended()) waits_ = team_.not_ended();
};

}  // namespace pto2::scenarios
