/// The second host (role 1) of a joint pair is about to run a fiber, which it hands to the first
/// one (role 0), where a fiber has them part in this moment and hands another one to the second.
/// Role 2 rings that one. Hosts without work poll, after the second has gathered. HP-I1, HP-I2.
#pragma once

#include "core/host_pair.hpp"
#include "models/support/small_team.hpp"

namespace pto2::scenarios {

template <Policy P>
class GatherAgainstPart : public Roles<P, 3> {
 public:
  static constexpr std::array reaches{"it runs at the first host", "it runs where it was",
                                      "they part while it is handed over"};

  GatherAgainstPart() {
    team_.start(parts, 0);
    team_.start(is_brought, 0);
    team_.start(is_gathered, 1);
  }

  void thread(uint32_t i) {
    if (i == 2) return ring();
    team_.run_polling(
        i, [&](uint32_t f, FiberHost<P>& host) { return turn(f, host); },
        [&] {
          if (i == 1) pair_.gather(team_.host(1), team_.host(0), team_.all_fibers(), any);
        },
        [this] { this->ring_all(); });
  }
  void finish() {
    team_.check_end();
    check<P>(is_at(1, is_brought), "HP-I2: who was brought to the second host is not handed back");
    happened<P>(is_at(0, is_gathered) ? "it runs at the first host" : "it runs where it was");
  }

 private:
  enum : uint32_t { parts, is_brought, is_gathered };

  static bool any(const HostedFiber<P>&) { return true; }

  /// Of fiber `f`: whether it has ended by it.
  bool turn(uint32_t f, FiberHost<P>& host) {
    if (&host == &team_.host(1) && !runs_at_second(f)) return false;
    team_.fiber(f).keep(true);  // as around a kernel that waits
    team_.fiber(f).keep(false);
    if (f == parts) part();
    if (f != is_brought) return true;
    check<P>(&host == &team_.host(1), "it runs where it was brought");
    return rung_.load(std::memory_order_relaxed) != 0;
  }
  bool runs_at_second(uint32_t f) {
    bool gathers = false;
    const bool runs =
        pair_.runs_at_second(team_.fiber(f), team_.host(1), team_.host(0), team_.all_fibers(),
                             [&](const HostedFiber<P>&) { return gathers = true; });
    if (gathers && runs) happened<P>("they part while it is handed over");
    return runs;
  }
  void part() {
    pair_.part(team_.host(0), team_.host(1), team_.all_fibers(),
               [&](const HostedFiber<P>& fiber) { return &fiber == &team_.fiber(is_brought); });
  }
  void ring() {
    rung_.store(1, std::memory_order_relaxed);
    team_.fiber(is_brought).ring(nullptr);
    this->ring_all();
  }
  [[nodiscard]] bool is_at(uint32_t h, uint32_t f) {
    return team_.fiber(f).home() == &team_.host(h);
  }

  SmallTeam<P> team_{2, 3};
  HostPair<P> pair_{true};
  typename P::template atomic<uint32_t> rung_{0};
};

}  // namespace pto2::scenarios
