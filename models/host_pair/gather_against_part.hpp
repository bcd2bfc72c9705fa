/// The second host (role 1) of a joint pair is about to run a fiber, and hands what waits there to
/// the first one (role 0), where a fiber lets them part in this moment and hands another one to the
/// second. Hosts without work poll. HP-I1, HP-I2.
#pragma once

#include "core/host_pair.hpp"
#include "models/support/small_team.hpp"

namespace pto2::scenarios {

template <Policy P>
class GatherAgainstPart : public Roles<P, 2> {
 public:
  static constexpr std::array reaches{"it runs at the first host", "it runs where it was",
                                      "they part while it is handed over"};

  GatherAgainstPart() {
    team_.start(parts, 0);
    team_.start(is_brought, 0);
    team_.start(is_gathered, 1);
  }

  void thread(uint32_t i) {
    team_.run(
        i, [&](uint32_t f, FiberHost<P>& host) { return turn(f, host); },
        [&] {
          this->ring_all();
          P::await([&] { return team_.is_over() || team_.host(i).has_mail(); });
          return true;
        });
    this->ring_all();
  }
  void finish() {
    team_.check_end();
    check<P>(is_at(1, is_brought), "HP-I2: who was brought to the second host is not handed back");
    happened<P>(is_at(0, is_gathered) ? "it runs at the first host" : "it runs where it was");
  }

 private:
  enum : uint32_t { parts, is_brought, is_gathered };

  /// Of fiber `f`: whether it has ended by it.
  bool turn(uint32_t f, FiberHost<P>& host) {
    FiberHost<P>& first = team_.host(0);
    FiberHost<P>& second = team_.host(1);
    const auto any = [](const HostedFiber<P>&) { return true; };
    if (&host == &second) {
      const bool were_joint = pair_.are_joint();
      const bool runs =
          pair_.runs_at_second(team_.fiber(f), second, first, team_.all_fibers(), any);
      if (were_joint && runs) happened<P>("they part while it is handed over");
      if (!runs) return false;
    }
    check<P>(f != is_brought || &host == &second, "it runs where it was brought");
    if (f != parts) return true;
    pair_.part(first, second, team_.all_fibers(),
               [&](const HostedFiber<P>& fiber) { return &fiber == &team_.fiber(is_brought); });
    return true;
  }
  [[nodiscard]] bool is_at(uint32_t h, uint32_t f) {
    return team_.fiber(f).home() == &team_.host(h);
  }

  SmallTeam<P> team_{2, 3};
  HostPair<P> pair_{true};
};

}  // namespace pto2::scenarios
