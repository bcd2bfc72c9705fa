/// How far ahead of its schedulers an orchestrator runs that shares an OS thread with them.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/runtime/device/task_graph.hpp"

namespace pto2::test {
namespace {

constexpr int tasks_of_run = 30'000;

/// A chain, or independent tasks, ten to a scope.
RunResult run(const DeviceConfig& config, const executors::TeamOptions& team, bool chain) {
  static constexpr KernelEntry kernels[] = {no_kernel};
  static float link;
  const Launch what{
      kernels,
      [chain](PTO2Runtime* rt) {
        pto2_rt_init_tensor_pool(rt);
        const uint32_t shape[] = {1};
        const PTOParam params[] = {make_inout_param(make_tensor_external(&link, shape, 1))};
        for (int i = 0; i < tasks_of_run; i += 10) {
          PTO2_SCOPE(rt) {
            for (int j = 0; j < 10; ++j) {
              pto2_rt_submit_task(rt, 0, PTO2_WORKER_VECTOR, params, chain ? 1 : 0);
            }
          }
        }
      },
      {}};
  RunResult result = launch(config, team, what);
  EXPECT_EQ(result.error.code, ErrorCode::ok) << result.error.message;
  EXPECT_EQ(result.tasks, static_cast<uint64_t>(tasks_of_run));
  return result;
}

/// Most tasks that were alive at a time.
uint64_t peak_of_a_run(const executors::TeamOptions& team, bool chain) {
  return run(DeviceConfig(), team, chain).peak_window;
}

/// How long the others run before the orchestrator goes on depends on what else the machine does,
/// and it goes on for longer after that: the least of some runs tells.
TEST(Pace, TheDefaultWindowIsNotFilledOnOneHostThread) {
  for (const bool chain : {false, true}) {
    uint64_t least = tasks_of_run;
    for (int run = 0; run < 5; ++run) {
      least = std::min(least, peak_of_a_run(executors::TeamOptions{.host_threads = 1}, chain));
    }
    EXPECT_GE(least, 500U) << chain;
    EXPECT_LE(least, 4000U) << chain;
  }
}

/// Once the window is full, an eighth of its tasks retire before the orchestrator goes on, and the
/// cores keep the others.
TEST(Pace, AFullWindowIsAwaitedInParts) {
  DeviceConfig config;
  config.window = 128;
  const RunResult result = run(config, executors::TeamOptions{.host_threads = 1}, true);
  EXPECT_EQ(result.peak_window, 127U);
  EXPECT_LE(result.waits, static_cast<uint64_t>(tasks_of_run) / 10);
  EXPECT_GE(result.waits, static_cast<uint64_t>(tasks_of_run) / 20);
}

/// A thread of its own has nobody to give way to.
TEST(Pace, AnOrchestratorWithAThreadOfItsOwnGoesOn) {
  const executors::TeamOptions team{.executor = executors::Executor::threads};
  EXPECT_GE(peak_of_a_run(team, false), 1U);
}

}  // namespace
}  // namespace pto2::test
