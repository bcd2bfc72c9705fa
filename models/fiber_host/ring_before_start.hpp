/// A host is made, gets a fiber, and begins (role 0), while somebody (role 1) rings the fiber,
/// which may not have a home yet. FH-I6: the first look of the fiber sees what came before the
/// ring, or the ring comes later, to a host that has been made.
#pragma once

#include <optional>

#include "core/fiber_host.hpp"
#include "models/support/scenario.hpp"

namespace pto2::scenarios {

template <Policy P>
class RingBeforeStart : public Roles<P, 2> {
 public:
  static constexpr std::array reaches{"the first look is enough", "the ring comes later"};

  void thread(uint32_t i) { i == 0 ? begin() : ring(); }
  void finish() { check<P>(team_.is_over(), "the fiber has ended"); }

 private:
  void begin() {
    hosts_[0] = &host_.emplace(team_, words_);
    fiber_.set_home(&*host_);
    host_->ring_here(0);
    uint32_t looks = 0;
    const auto resume = [&](HostedFiber<P>&) {
      ++looks;
      if (rung_.load(std::memory_order_relaxed) == 0) return false;
      happened<P>(looks == 1 ? "the first look is enough" : "the ring comes later");
      return true;
    };
    host_->run(resume, [] { return false; });
  }
  void ring() {
    rung_.store(1, std::memory_order_relaxed);
    fiber_.ring(nullptr);
  }

  typename P::template atomic<uint64_t> runnable_{0}, inbox_{0};
  const HostWords<P> words_{{&runnable_, 1}, {&inbox_, 1}};
  HostedFiber<P> fiber_{0};
  std::array<HostedFiber<P>*, 1> fibers_{&fiber_};
  std::array<FiberHost<P>*, 1> hosts_{};
  HostTeam<P> team_{fibers_, hosts_};
  std::optional<FiberHost<P>> host_;
  typename P::template atomic<uint32_t> rung_{0};
};

}  // namespace pto2::scenarios
