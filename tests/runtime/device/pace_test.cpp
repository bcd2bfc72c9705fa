/// How far ahead of its schedulers an orchestrator runs that shares an OS thread with them.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/runtime/device/task_graph.hpp"

namespace pto2::test {
namespace {

constexpr int tasks = 30'000;

uint64_t peak_of_a_run(const executors::TeamOptions& team) {
  static constexpr KernelEntry kernels[] = {no_kernel};
  const Launch what{kernels,
                    [](PTO2Runtime* rt) {
                      for (int i = 0; i < tasks; i += 10) {
                        PTO2_SCOPE(rt) {
                          for (int j = 0; j < 10; ++j) {
                            pto2_rt_submit_task(rt, 0, PTO2_WORKER_VECTOR, nullptr, 0);
                          }
                        }
                      }
                    },
                    {}};
  const RunResult result = launch(DeviceConfig(), team, what);
  EXPECT_EQ(result.error.code, ErrorCode::ok) << result.error.message;
  EXPECT_EQ(result.tasks, static_cast<uint64_t>(tasks));
  return result.peak_window;
}

/// How long the others run before the orchestrator goes on depends on what else the machine does,
/// and it goes on for longer after that: the least of some runs tells.
TEST(Pace, TheDefaultWindowIsNotFilledOnOneHostThread) {
  uint64_t least = tasks;
  for (int run = 0; run < 5; ++run) {
    least = std::min(least, peak_of_a_run(executors::TeamOptions{.host_threads = 1}));
  }
  EXPECT_GE(least, 500U);
  EXPECT_LE(least, 4000U);
}

/// A thread of its own has nobody to give way to.
TEST(Pace, AnOrchestratorWithAThreadOfItsOwnGoesOn) {
  EXPECT_GE(peak_of_a_run(executors::TeamOptions{.executor = executors::Executor::threads}), 1U);
}

}  // namespace
}  // namespace pto2::test
