/// The memory of a case: each run finds there what the case begins with, whatever those before it
/// have left.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>

#include "stress/simulation/workload_subject.hpp"

namespace pto2::simulations {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

Options with_kernels() {
  Options options;
  options.workload = "bgemm";
  options.case_name = workloads::find_workload("bgemm").cases().front().name;
  return options;
}

/// As a kernel might do it. The first two arrays are inputs.
void change_inputs(const Launch& what) {
  for (const CallerArray& array : what.arrays.first(2)) {
    *reinterpret_cast<std::byte*>(array.address) ^= std::byte{1};
  }
}

TEST(WorkloadMemory, AChangedInputIsToldOfTheRunThatChangedIt) {
  bool changes = true;
  WorkloadSubject subject(with_kernels(), [&](ExecutorKind executor, const DeviceConfig& config,
                                              const Launch& what, uint64_t seed) {
    RunResult result = stress::launch_on(executor, config, what, seed);
    if (changes && result.error.code == ErrorCode::ok) change_inputs(what);
    return result;
  });
  uint64_t wrong = 0;
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    changes = true;
    const SimulatedRun run = subject.run(seed);
    if (!run.wrong()) continue;
    ++wrong;
    EXPECT_THAT(run.problems, Contains(HasSubstr("was changed"))) << seed;
    changes = false;
    EXPECT_THAT(subject.run(seed).problems, IsEmpty()) << seed;
  }
  EXPECT_GE(wrong, 2U);
}

/// Nothing is verified where a run ends early.
TEST(WorkloadMemory, WhatADeadlockLeavesIsOfNoOtherRun) {
  uint64_t changed = 0;
  WorkloadSubject subject(with_kernels(), [&](ExecutorKind executor, const DeviceConfig& config,
                                              const Launch& what, uint64_t seed) {
    RunResult result = stress::launch_on(executor, config, what, seed);
    if (result.error.code == ErrorCode::ok) return result;
    ++changed;
    change_inputs(what);
    return result;
  });
  uint64_t passed = 0;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    const SimulatedRun run = subject.run(seed);
    EXPECT_THAT(run.problems, IsEmpty()) << seed;
    passed += run.outcome == "passed" ? 1 : 0;
  }
  EXPECT_GE(changed, 2U);
  EXPECT_GE(passed, 2U);
}

/// A kernel that writes to an input where there are several schedulers.
TEST(WorkloadMemory, ASmallerRunNeedsWhatChangesItsInput) {
  const auto launch = [](ExecutorKind executor, const DeviceConfig& config, const Launch& what,
                         uint64_t seed) {
    if (config.chip.schedulers >= 2) change_inputs(what);
    return stress::launch_on(executor, config, what, seed);
  };
  WorkloadSubject subject(with_kernels(), launch);
  uint64_t seed = 1;
  while (!subject.run(seed).wrong()) ++seed;
  const Shrunk shrunk = subject.shrink(seed);
  EXPECT_EQ(shrunk.token, "256-2-2");
  EXPECT_TRUE(shrunk.wrong);
  std::string story;
  EXPECT_THAT(
      WorkloadSubject(with_kernels(), launch).run_shrunk(seed, shrunk.token, story).problems,
      Contains(HasSubstr("was changed")));
  EXPECT_EQ(story, shrunk.story);
}

}  // namespace
}  // namespace pto2::simulations
