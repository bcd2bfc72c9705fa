/// How far ahead of its schedulers an orchestrator runs that shares an OS thread with them.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "tests/runtime/device/task_graph.hpp"

namespace pto2::test {
namespace {

constexpr int tasks_of_run = 30'000;

/// As they go: who is the next task of the chain, and where it was when the first task ran that is
/// not one of it.
struct PaceProgress {
  std::atomic<int> of_chain{0};  ///< or of all that count
  std::atomic<int> when_another_ran{-1};
};
PaceProgress pace_progress;

/// Each takes longer than the submission of another task, and some of them longer than the
/// orchestrator gives way where that brings nobody further.
void take_microseconds() {
  const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(3);
  while (std::chrono::steady_clock::now() < end) {
  }
}

constexpr KernelEntry paced_kernels[] = {
    no_kernel,
    [](int64_t*) {
      take_microseconds();
      ++pace_progress.of_chain;
    },
    [](int64_t*) {
      int none = -1;
      pace_progress.when_another_ran.compare_exchange_strong(none, pace_progress.of_chain);
    },
    [](int64_t*) { ++pace_progress.of_chain; },
    [](int64_t*) { std::this_thread::sleep_for(std::chrono::milliseconds(1)); },
};

/// Tasks of this kernel, ten to a scope.
struct PacedPart {
  int kernel;
  bool is_chain;  ///< or they are independent
  int tasks;
};

RunResult run_paced(const DeviceConfig& config, const executors::TeamOptions& team,
                    const std::vector<PacedPart>& parts) {
  static float link;
  const Launch what{
      paced_kernels,
      [&parts](PTO2Runtime* rt) {
        pto2_rt_init_tensor_pool(rt);
        const uint32_t shape[] = {1};
        const PTOParam params[] = {make_inout_param(make_tensor_external(&link, shape, 1))};
        for (const auto& [kernel, is_chain, tasks] : parts) {
          for (int i = 0; i < tasks; i += 10) {
            PTO2_SCOPE(rt) {
              for (int j = 0; j < 10; ++j) {
                pto2_rt_submit_task(rt, kernel, PTO2_WORKER_VECTOR, params, is_chain ? 1 : 0);
              }
            }
          }
        }
      },
      {}};
  RunResult result = launch(config, team, what);
  EXPECT_EQ(result.error.code, ErrorCode::ok) << result.error.message;
  return result;
}

/// Most tasks that were alive at a time.
uint64_t peak_of_a_run(const executors::TeamOptions& team, const PacedPart& part) {
  return run_paced(DeviceConfig(), team, {part}).peak_window;
}

/// How long the others run before the orchestrator goes on depends on what else the machine does,
/// and it goes on for longer after that: the least of some runs tells.
TEST(Pace, TheDefaultWindowIsNotFilledOnOneHostThread) {
  for (const bool chain : {false, true}) {
    uint64_t least = tasks_of_run;
    for (int run = 0; run < 5; ++run) {
      least = std::min(least, peak_of_a_run({.host_threads = 1}, {0, chain, tasks_of_run}));
    }
    EXPECT_GE(least, 500U) << chain;
    EXPECT_LE(least, 4000U) << chain;
  }
}

TEST(Pace, LongKernelsDoNotBringTheOrchestratorFarAhead) {
  uint64_t least = tasks_of_run;
  for (int run = 0; run < 3; ++run) {
    least = std::min(least, peak_of_a_run({.host_threads = 1}, {1, true, 5000}));
  }
  EXPECT_GE(least, 500U);
  EXPECT_LE(least, 1000U);
}

/// The tasks behind a chain could run beside it, on a host that has nothing else to do. Those that
/// are as many ahead of the chain's end as are enough for all cores are the last that are found.
TEST(Pace, WhatAnIdleHostCouldDoIsFoundWhileAChainRuns) {
  constexpr int chain = 5000;
  for (int tries = 0; tries < 5; ++tries) {
    pace_progress.of_chain = 0;
    pace_progress.when_another_ran = -1;
    run_paced(DeviceConfig(), {.host_threads = 2}, {{1, true, chain}, {2, false, 10}});
    EXPECT_GE(pace_progress.when_another_ran, 0);
    if (pace_progress.when_another_ran < chain - 1000) return;
  }
  ADD_FAILURE() << "the chain was at its task " << pace_progress.when_another_ran;
}

/// No task retires while its scope is open, so there is nothing to wait for. But the others run for
/// most of the time.
TEST(Pace, ALongScopeIsNotAllSubmittedBeforeItRuns) {
  int most = 0;
  for (int run = 0; run < 5; ++run) {
    pace_progress.of_chain = 0;
    int when_submitted = 0;
    const Launch what{paced_kernels,
                      [&](PTO2Runtime* rt) {
                        PTO2_SCOPE(rt) {
                          for (int i = 0; i < 5000; ++i) {
                            pto2_rt_submit_task(rt, 3, PTO2_WORKER_VECTOR, nullptr, 0);
                          }
                          when_submitted = pace_progress.of_chain;
                        }
                      },
                      {}};
    const RunResult result =
        launch(DeviceConfig(), executors::TeamOptions{.host_threads = 1}, what);
    EXPECT_EQ(result.error.code, ErrorCode::ok) << result.error.message;
    EXPECT_EQ(result.peak_window, 5000U);
    most = std::max(most, when_submitted);
  }
  EXPECT_GE(most, 2500);
}

/// Once the window is full, an eighth of its tasks retire before the orchestrator goes on, and the
/// cores keep the others.
TEST(Pace, AFullWindowIsAwaitedInParts) {
  DeviceConfig config;
  config.window = 128;
  const RunResult result = run_paced(config, {.host_threads = 1}, {{0, true, tasks_of_run}});
  EXPECT_EQ(result.peak_window, 127U);
  EXPECT_LE(result.waits, static_cast<uint64_t>(tasks_of_run) / 10);
  EXPECT_GE(result.waits, static_cast<uint64_t>(tasks_of_run) / 20);
}

/// What runs while it gives way is none of its own time: all tasks but the last ones, here.
TEST(Pace, TheTimeOfOthersCountsAsWaited) {
  constexpr uint64_t tasks = 5000;
  const RunResult result =
      run_paced(DeviceConfig(), {.host_threads = 1}, {{1, true, static_cast<int>(tasks)}});
  EXPECT_EQ(result.waits, 0U) << "the window is larger";
  EXPECT_GE(result.wait_ticks, tasks / 2 * 3000);
  EXPECT_LT(result.wait_ticks, result.wall_ns);
}

/// Nor is what runs until a queue has room: all tasks but those that fit in, on one core.
TEST(Pace, TimeInFullQueuesCountsAsWaited) {
  DeviceConfig config;
  config.chip = {"one_core", 1, 1, 2, 1, 0};
  config.shards = 1;
  config.shard_capacity = 2;
  config.orchestrator_queue = 2;
  const Launch what{paced_kernels,
                    [](PTO2Runtime* rt) {
                      for (int i = 0; i < 100; ++i) {
                        pto2_rt_submit_task(rt, 4, PTO2_WORKER_CUBE, nullptr, 0);
                      }
                    },
                    {}};
  const RunResult result =
      launch(config, executors::TeamOptions{.executor = executors::Executor::threads}, what);
  EXPECT_EQ(result.error.code, ErrorCode::ok) << result.error.message;
  EXPECT_EQ(result.waits, 0U);
  EXPECT_GE(result.wait_ticks, 50'000'000U);
  EXPECT_LT(result.wait_ticks, result.wall_ns);
}

/// A thread of its own has nobody to give way to.
TEST(Pace, AnOrchestratorWithAThreadOfItsOwnGoesOn) {
  const executors::TeamOptions team{.executor = executors::Executor::threads};
  EXPECT_GE(peak_of_a_run(team, {0, false, tasks_of_run}), 1U);
}

}  // namespace
}  // namespace pto2::test
