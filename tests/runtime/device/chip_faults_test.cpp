/// Runs on a chip that fails: each ends, and says what it was.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/judge/judge.hpp"
#include "stress/lost_core.hpp"
#include "tests/runtime/device/task_graph.hpp"

namespace pto2::test {
namespace {

using executors::ChipFault;
using executors::ChipFaultKind;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

constexpr uint64_t tasks_of_chain = 3;
uint64_t kernels_run = 0;

void counts(int64_t*) {
  ++kernels_run;
}

/// A chain of tasks for the only vector core.
void chain(PTO2Runtime* rt) {
  pto2_rt_init_tensor_pool(rt);
  static uint64_t memory;
  const uint64_t one = 1;
  PTOParam param = make_inout_param(make_tensor_external(&memory, &one, 1, DataType::UINT64));
  for (uint64_t i = 0; i < tasks_of_chain; ++i) {
    pto2_rt_submit_task(rt, 0, PTO2_WORKER_VECTOR, &param, 1);
  }
}

RunResult run(ExecutorKind executor, uint64_t seed, const ChipFault& fault) {
  static constexpr KernelEntry kernels[] = {counts};
  DeviceConfig config = small_device();
  config.chip = {"one", 1, 1, 1, 1};
  config.events = 1 << 12;
  kernels_run = 0;
  const Launch what{kernels, chain, {}, {}, fault};
  RunResult result = stress::launch_on(executor, config, what, seed);
  EXPECT_THAT(judging::problems_of(result.record), IsEmpty()) << seed;
  EXPECT_THAT(result.damaged, IsEmpty()) << seed;
  return result;
}

/// Calls visit(executor, seed) for some schedules of each simulation.
template <class Visitor>
void for_each_schedule(Visitor&& visit) {
  for (const ExecutorRow& row : executor_table()) {
    if (!is_simulated(row.executor)) continue;
    for (uint64_t seed = 1; seed <= 30; ++seed) {
      const testing::ScopedTrace trace(__FILE__, __LINE__, row.name + std::to_string(seed));
      visit(row.executor, seed);
    }
  }
}

void expect_whole_run(const RunResult& result) {
  EXPECT_EQ(result.error.code, ErrorCode::ok) << result.error.message;
  EXPECT_EQ(kernels_run, tasks_of_chain);
}

/// Also that the run after it is right.
void expect_loss(ChipFaultKind kind, uint64_t kernels) {
  const ChipFault fault{kind, "aiv0", 2};
  for_each_schedule([&](ExecutorKind executor, uint64_t seed) {
    const RunResult result = run(executor, seed, fault);
    EXPECT_TRUE(result.fault_reached);
    EXPECT_EQ(result.error.code, ErrorCode::core_lost);
    EXPECT_THAT(result.error.message,
                StartsWith("core aiv0 does not answer: it was given task 1 of ring 0,"));
    EXPECT_THAT(stress::loss_problems(fault, result), IsEmpty());
    EXPECT_EQ(kernels_run, kernels);
    expect_whole_run(run(executor, seed, {}));
  });
}

TEST(ChipFaults, ACoreIsLostBeforeItAcknowledges) {
  expect_loss(ChipFaultKind::lost_before_ack, 1);
}
TEST(ChipFaults, ACoreIsLostBeforeTheKernel) {
  expect_loss(ChipFaultKind::lost_after_ack, 1);
}
TEST(ChipFaults, ACoreIsLostBeforeItReports) {
  expect_loss(ChipFaultKind::lost_before_fin, 2);
}

/// One that is lost at its first task, and one whose fault never comes.
TEST(ChipFaults, TasksAreCounted) {
  for_each_schedule([&](ExecutorKind executor, uint64_t seed) {
    const RunResult first = run(executor, seed, {ChipFaultKind::lost_before_ack, "aiv0", 1});
    EXPECT_THAT(first.error.message, HasSubstr("it was given task 0 of ring 0,"));
    EXPECT_EQ(kernels_run, 0u);
    for (const ChipFault& fault :
         {ChipFault{ChipFaultKind::lost_before_ack, "aiv0", tasks_of_chain + 1},
          ChipFault{ChipFaultKind::lost_before_ack, "aic0", 1}}) {
      const RunResult none = run(executor, seed, fault);
      EXPECT_FALSE(none.fault_reached);
      expect_whole_run(none);
    }
  });
}

TEST(ChipFaults, WhatIsSlowOrSaidTwiceIsNoError) {
  for_each_schedule([&](ExecutorKind executor, uint64_t seed) {
    for (const ChipFault& fault : {ChipFault{ChipFaultKind::slow_core, "aiv0", 1},
                                   ChipFault{ChipFaultKind::slow_scheduler, "scheduler0", 1},
                                   ChipFault{ChipFaultKind::answers_twice, "aiv0", 2}}) {
      const RunResult result = run(executor, seed, fault);
      EXPECT_TRUE(result.fault_reached);
      expect_whole_run(result);
    }
  });
}

/// What must be told of a wrong end.
TEST(ChipFaults, TheEndMustNameCoreAndTask) {
  const ChipFault fault{ChipFaultKind::lost_before_fin, "aiv0", 2};
  const RunResult right = run(ExecutorKind::seeded, 1, fault);
  RunResult wrong = right;
  wrong.error = {};
  EXPECT_THAT(stress::loss_problems(fault, wrong),
              testing::ElementsAre(HasSubstr("expected core_lost, got ok")));
  for (const char* message : {"core aiv1 does not answer: it was given task 1 of ring 0,",
                              "core aiv0 does not answer: it was given task 2 of ring 0,"}) {
    wrong = right;
    wrong.error.message = message;
    EXPECT_THAT(stress::loss_problems(fault, wrong),
                testing::ElementsAre(HasSubstr("expected 'core aiv0 does not answer: it was given "
                                               "task 1 of ring 0,..', got: ")));
  }
}

TEST(ChipFaults, OnOsThreadsNothingFails) {
  for (const ExecutorKind executor : {ExecutorKind::packed, ExecutorKind::threads}) {
    const RunResult result = run(executor, 1, {ChipFaultKind::lost_before_ack, "aiv0", 1});
    EXPECT_FALSE(result.fault_reached);
    expect_whole_run(result);
  }
}

}  // namespace
}  // namespace pto2::test
