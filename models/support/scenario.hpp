/// What every scenario is made of.
///
/// A scenario is a class over the policy P, and over the fan-out F where it applies:
///
///   static constexpr uint32_t threads   number of roles
///   void thread(uint32_t i)             role i, one call each, side by side; allocates nothing
///   void finish()                       called once after the last role has returned
///   bells                               doorbell i is that of role i; the runner sets them first
///   connect()                           hands the bells on, once they are set; optional
///   idles                               whether a role uses P::idle()
///   reaches                             what happened() must tell of in some execution
///
/// Constructor and finish() run alone and happen before and after the roles. A role waits with
/// P::await or P::idle; whoever stores what a role waits for rings its bell afterwards.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>
#include <source_location>
#include <span>

#include "core/assert.hpp"
#include "core/policy.hpp"

namespace pto2::scenarios {

/// Base of a scenario with `n` roles.
template <Policy P, uint32_t n>
class Roles {
 public:
  static constexpr uint32_t threads = n;
  static constexpr bool idles = false;
  static constexpr std::array<const char*, 0> reaches{};
  std::array<typename P::doorbell, n> bells;

 protected:
  void ring_all() {
    for (auto& bell : bells) bell.ring();
  }
};

template <class S>
concept Scenario = std::default_initializable<S> && requires(S s, uint32_t i) {
  { S::threads } -> std::convertible_to<uint32_t>;
  { S::idles } -> std::convertible_to<bool>;
  S::reaches.size();
  s.thread(i);
  s.finish();
  s.bells[i];
};

/// A scenario as those see it who run any: what they do is compiled once, and not with each of
/// them.
template <Policy P>
class AnyScenario {
 public:
  virtual void thread(uint32_t i) = 0;
  virtual void finish() = 0;
  /// Gives the scenario the doorbells of its roles.
  virtual void set_bells(std::span<const typename P::doorbell> bells) = 0;

 protected:
  ~AnyScenario() = default;
};

/// One of them.
template <Policy P, Scenario S>
class ScenarioOf final : public AnyScenario<P> {
 public:
  void thread(uint32_t i) override { scenario_.thread(i); }
  void finish() override { scenario_.finish(); }
  void set_bells(std::span<const typename P::doorbell> bells) override {
    std::ranges::copy(bells, scenario_.bells.begin());
    if constexpr (requires { scenario_.connect(); }) scenario_.connect();
  }

 private:
  S scenario_;
};

/// The size of a scenario: `small` on a policy that explores every execution.
template <Policy P>
constexpr uint32_t sized(uint32_t small, uint32_t large) {
  return requires {
    P::explores_everything;
  }
  ? small : large;
}

/// A property that the scenario states. The policy may report a broken one itself.
template <Policy P>
void check(bool holds, const char* what,
           std::source_location where = std::source_location::current()) {
  if constexpr (requires { P::check(holds, what, where); }) {
    P::check(holds, what, where);
  } else if (!holds) {
    invariant_violated("of the scenario", what, where.file_name(), static_cast<int>(where.line()));
  }
}

/// Tells a policy that explores that a case which matters was met.
template <Policy P>
void happened(const char* what) {
  if constexpr (requires { P::happened(what); }) P::happened(what);
}

}  // namespace pto2::scenarios
