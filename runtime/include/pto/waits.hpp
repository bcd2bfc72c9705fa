/// Waiting for what another kernel of the run does. Other kernels may run on the OS thread
/// meanwhile, so what is kept in variables of the thread is put aside.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "pto/accesses.hpp"
#include "pto/core_memory.hpp"
#include "pto/global_memory.hpp"
#include "pto_core_calls.h"

namespace pto::detail {

/// What a kernel waits for when its body has returned.
struct Condition {
  const uint32_t* counter;
  uint32_t least;
  Site site;
};
/// Of the kernel that this thread runs.
[[gnu::visibility("hidden")]] inline thread_local std::vector<Condition> conditions;

/// While it lives, the kernel's memory, arguments and accesses are not those of its thread.
class PutAside {
 public:
  PutAside()
      : memory_(std::exchange(core_memory, nullptr)),
        tensors_(call_tensors),
        conditions_(std::exchange(conditions, {})) {}
  ~PutAside() {
    // There is room: map_core_memory() has made some for all.
    if (core_memory != nullptr) core_memories.unused.push_back(core_memory);
    core_memory = memory_;
    call_tensors = tensors_;
    conditions = std::move(conditions_);
  }
  PutAside(const PutAside&) = delete;
  PutAside& operator=(const PutAside&) = delete;

 private:
  std::byte* const memory_;
  const CallTensors tensors_;
  std::vector<Condition> conditions_;
  KeptAccesses accesses_;
};

/// The arguments of the kernel that calls.
inline const int64_t* running_args() {
  return call_tensors.args;
}

/// How a wait for holds() ends, which is called while the kernel is put aside.
template <bool IsPause, class Holds>
PTOWaited wait_aside(Holds holds) {
  const int64_t* const args = running_args();
  if (args == nullptr) return PTOWaited::NOBODY;
  const PutAside aside;
  return IsPause ? pto_pause(args, holds) : pto_wait(args, holds);
}

/// Returns once holds(). Throws what describe() says if nobody makes it hold, and when the run is
/// given up. `holds` is called while the kernel is put aside.
template <class Holds, class Describe>
void wait_until(const Use& use, Holds holds, Describe describe) {
  if (holds()) return;
  const PTOWaited waited = wait_aside<false>(holds);
  if (waited == PTOWaited::HOLDS) return;
  fail(use, describe() + (waited == PTOWaited::GIVEN_UP
                              ? ", when the run was given up"
                              : ", and nobody changes that: no kernel runs that could, or the "
                                "deadline of kernels has passed"));
}

/// After a test of signals that has failed, and may be one of a loop. Now and then it lets others
/// run, on whose thread the kernel may be, until one of them announces something: whether the test
/// would succeed now. If nobody does, the next ones are made faster: they may be counted, and the
/// kernel may have other work.
template <class Holds, class Describe>
bool test_again(const Use& use, Holds holds, Describe describe) {
  FailedTests& failed = call_tensors.failed_tests;
  if (++failed.count < failed.patience) return false;
  failed.count = 0;
  const PTOWaited waited = wait_aside<true>(holds);
  if (waited == PTOWaited::GIVEN_UP) fail(use, describe() + ", when the run was given up");
  failed.patience = waited == PTOWaited::HOLDS
                        ? FailedTests::patience_at_first
                        : std::min(2 * failed.patience, FailedTests::most_patience);
  return holds();
}

/// After a change that another kernel may wait for.
inline void announce() {
  if (const int64_t* const args = running_args()) pto_announce(args);
}

/// When the body of the kernel has returned.
inline void wait_for_conditions() {
  for (const Condition& condition : std::exchange(conditions, {})) {
    const auto value = [&condition] {
      return __atomic_load_n(condition.counter, __ATOMIC_ACQUIRE);
    };
    wait_until(
        {"a condition of completion", PIPE_S, condition.site},
        [&condition, value] { return value() >= condition.least; },
        [&condition, value] {
          return "a counter is " + std::to_string(value()) +
                 " and shall be >= " + std::to_string(condition.least);
        });
  }
}
/// Those of the kernel, to be added to.
inline std::vector<Condition>& own_conditions() {
  if (call_tensors.at_end == nullptr) conditions.clear();
  call_tensors.at_end = wait_for_conditions;
  return conditions;
}

}  // namespace pto::detail
