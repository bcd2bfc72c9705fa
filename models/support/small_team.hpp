/// A team of a few hosts and fibers, for the scenarios of the hosts.
///
/// A fiber is played by a function that its host calls when it resumes it, and that returns where a
/// fiber would wait. All data of a fiber is a cell, so it is a race if two hosts run it at once, or
/// one after the other without an edge (FH-I2). The fibers' numbers are spread over two words.
#pragma once

#include <algorithm>
#include <array>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "core/fiber_host.hpp"
#include "models/support/scenario.hpp"

namespace pto2::scenarios {

template <Policy P>
class SmallTeam {
  struct NoLook {
    bool operator()() const { return false; }
  };

 public:
  SmallTeam(uint32_t hosts, uint32_t fibers) {
    for (uint32_t f = 0; f < fibers; ++f) {
      all_fibers_.push_back(&fibers_.emplace_back(numbers[f]));
      fiber_pointers_[numbers[f]] = all_fibers_.back();
      ended_.emplace_back(0);
    }
    host_pointers_.resize(hosts);
    team_.emplace(fiber_pointers_, host_pointers_);
    for (uint32_t h = 0; h < hosts; ++h) {
      Words& words = words_.emplace_back();
      host_pointers_[h] = &hosts_.emplace_back(*team_, HostWords<P>{words.runnable, words.inbox});
    }
  }

  [[nodiscard]] FiberHost<P>& host(uint32_t h) { return hosts_[h]; }
  [[nodiscard]] HostedFiber<P>& fiber(uint32_t f) { return fibers_[f]; }
  [[nodiscard]] std::span<HostedFiber<P>* const> all_fibers() { return all_fibers_; }
  /// A question to a fiber that is at home at the host that asks: whether it has not ended.
  [[nodiscard]] auto not_ended() {
    return [this](const HostedFiber<P>& fiber) { return ended_of(fiber).read() == 0; };
  }
  [[nodiscard]] bool is_over() const { return team_->is_over(); }
  /// Gives fiber `f` its home, before the roles begin, and makes it runnable there.
  void start(uint32_t f, uint32_t h) {
    fibers_[f].set_home(&hosts_[h]);
    hosts_[h].ring_here(numbers[f]);
  }

  /// Runs host `h` to the end of the team. `body(f, host)` is fiber f; it returns whether the fiber
  /// has ended. Before the host goes to sleep, it looks around.
  template <class Body, class LookAround = NoLook>
  void run(uint32_t h, Body&& body, LookAround&& look_around = {}) {
    hosts_[h].run(resume(h, body), look_around);
  }
  /// The same for a host that has done its part when a fiber has ended on it: it polls then until
  /// the team's end, instead of going to sleep, so that the scenario ends there. Before, it looks
  /// around. The caller rings the others afterwards.
  template <class Body, class LookAround = NoLook>
  void run_once(uint32_t h, Body&& body, LookAround&& look_around = {}) {
    bool done = false;
    const auto once = [&](uint32_t f, FiberHost<P>& host) {
      const bool ended = body(f, host);
      done = done || ended;
      return ended;
    };
    hosts_[h].run(resume(h, once), [&] {
      if (!done) return look_around();
      P::await([&] { return team_->is_over(); });
      return true;
    });
  }

  /// The same for a host that polls instead of going to sleep, once it has looked around, and for
  /// roles that ring_all() rings.
  template <class Body, class LookAround, class RingAll>
  void run_polling(uint32_t h, Body&& body, LookAround&& look_around, RingAll&& ring_all) {
    run(h, body, [&] {
      look_around();
      ring_all();
      P::await([&] { return is_over() || hosts_[h].has_mail(); });
      return true;
    });
    ring_all();
  }

  void check_end() {
    for (const auto& ended : ended_) check<P>(ended.read() == 1, "every fiber has ended");
    check<P>(team_->is_over() && !team_->anybody_sleeps(), "all hosts have left");
    for (const auto& host : hosts_) {
      check<P>(!host.seems_asleep() && !host.seems_detached() && host.current() == nullptr,
               "a host that has left neither sleeps nor runs a fiber");
    }
  }

 private:
  template <class Body>
  auto resume(uint32_t h, Body& body) {
    return [this, h, &body](HostedFiber<P>& fiber) {
      auto& ended = ended_of(fiber);
      if (ended.read() != 0) return false;  // rung again after its end
      const bool ends = body(index_of(fiber), hosts_[h]);
      // Not otherwise: it may have been handed over.
      if (ends) ended.write(1);
      return ends;
    };
  }

  static uint32_t index_of(const HostedFiber<P>& fiber) {
    return static_cast<uint32_t>(std::ranges::find(numbers, fiber.number()) - numbers.begin());
  }
  [[nodiscard]] auto& ended_of(const HostedFiber<P>& fiber) { return ended_[index_of(fiber)]; }

  static constexpr std::array<uint32_t, 3> numbers{0, 127, 64};

  struct Words {
    std::array<typename P::template atomic<uint64_t>, 2> runnable{};
    std::array<typename P::template atomic<uint64_t>, 2> inbox{};
  };

  std::deque<HostedFiber<P>> fibers_;
  std::deque<typename P::template cell<uint32_t>> ended_;
  std::vector<HostedFiber<P>*> all_fibers_;
  std::array<HostedFiber<P>*, 128> fiber_pointers_{};
  std::vector<FiberHost<P>*> host_pointers_;
  std::optional<HostTeam<P>> team_;
  std::deque<Words> words_;
  std::deque<FiberHost<P>> hosts_;
};

}  // namespace pto2::scenarios
