/// What a user sees of back-pressure.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "runtime/judge/judge.hpp"
#include "tests/runtime/device/task_graph.hpp"
#include "tests/support/guarded_tests.hpp"

namespace pto2::test::back_pressure {
namespace {

void slow_kernel(int64_t*) {
  std::this_thread::sleep_for(std::chrono::milliseconds(1400));
}
void quick_kernel(int64_t*) {}

class BackPressure : public testing::TestWithParam<executors::Executor> {};

/// Lines that the runtime logs while five tasks, the first with kernel 0, go through a window of
/// four, each in a scope of its own.
std::vector<std::string> blocked_lines(executors::Executor executor, KernelEntry first) {
  const KernelEntry kernels[] = {first, quick_kernel};
  DeviceConfig config = small_device();
  config.window = 4;
  config.events = 1 << 16;
  std::vector<std::string> lines;
  const Launch what{kernels,
                    [](PTO2Runtime* rt) {
                      for (int i = 0; i < 5; ++i) {
                        PTO2_SCOPE(rt) {
                          pto2_rt_submit_task(rt, i == 0 ? 0 : 1, PTO2_WORKER_CUBE, nullptr, 0);
                        }
                      }
                    },
                    [&](int32_t, const char* text) { lines.emplace_back(text); }};
  const RunResult result = launch(config, executors::TeamOptions{.executor = executor}, what);
  EXPECT_EQ(result.error.code, ErrorCode::ok);
  EXPECT_EQ(result.tasks, 5U);
  EXPECT_THAT(judging::problems_of(result.record), testing::IsEmpty());
  return lines;
}

TEST_P(BackPressure, ALongWaitIsWarnedOf) {
  const auto lines = blocked_lines(GetParam(), slow_kernel);
  EXPECT_THAT(lines,
              testing::Contains(testing::HasSubstr(
                  "[TaskRing] BLOCKED (Flow Control): current=3, last_alive=0, active=3/4")));
  EXPECT_THAT(lines,
              testing::Contains("[TaskRing] oldest alive: task 0 of ring 1, state 1 (ready)"));
}

/// Two waits of 100 ms, more than a second apart: neither is long, and both count.
TEST_P(BackPressure, WaitsAddUpAndAreWarnedOfOneByOne) {
  const auto slow = [](int64_t*) { std::this_thread::sleep_for(std::chrono::milliseconds(100)); };
  const KernelEntry kernels[] = {slow, quick_kernel};
  DeviceConfig config = small_device();
  config.window = 4;
  std::vector<std::string> lines;
  const Launch what{kernels,
                    [](PTO2Runtime* rt) {
                      for (int i = 0; i < 10; ++i) {
                        if (i == 5) std::this_thread::sleep_for(std::chrono::milliseconds(1100));
                        PTO2_SCOPE(rt) {
                          pto2_rt_submit_task(rt, i % 5 == 0 ? 0 : 1, PTO2_WORKER_CUBE, nullptr, 0);
                        }
                      }
                    },
                    [&](int32_t, const char* text) { lines.emplace_back(text); }};
  const RunResult result = launch(config, executors::TeamOptions{.executor = GetParam()}, what);
  EXPECT_EQ(result.error.code, ErrorCode::ok);
  EXPECT_THAT(lines, testing::IsEmpty());
  EXPECT_GE(result.waits, 2u);
  EXPECT_GE(result.wait_ticks, 150'000'000u);
}

TEST_P(BackPressure, AShortOneIsNot) {
  EXPECT_THAT(blocked_lines(GetParam(), quick_kernel), testing::IsEmpty());
}

std::atomic<bool> warned{false};

/// Ends when somebody has been warned, or never would be.
void patient_kernel(int64_t*) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (!warned.load() && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

/// A task that reads `inputs` and outputs a new tensor of `elements` 64-bit elements: with kernel 0
/// a slow one, with kernel 1 a quick one.
Tensor submit(PTO2Runtime* rt, int32_t kernel, const std::vector<Tensor>& inputs = {},
              uint64_t elements = 1) {
  std::vector<PTOParam> params;
  for (const Tensor& input : inputs) params.push_back(make_input_param(input));
  const uint64_t shape[] = {elements};
  const Tensor output = make_tensor(shape, 1, DataType::UINT64);
  params.push_back(make_output_param(output));
  pto2_rt_submit_task(rt, kernel, PTO2_WORKER_VECTOR, params.data(),
                      static_cast<int32_t>(params.size()));
  return output;
}

/// Expects that a run without errors warns of a wait with `line`.
void expect_warning(executors::Executor executor, const DeviceConfig& config, const char* line,
                    const std::function<void(PTO2Runtime*)>& entry) {
  static constexpr KernelEntry kernels[] = {patient_kernel, quick_kernel};
  std::vector<std::string> lines;
  const Launch what{kernels,
                    [&](PTO2Runtime* rt) {
                      pto2_rt_init_tensor_pool(rt);
                      entry(rt);
                    },
                    [&](int32_t, const char* text) {
                      lines.emplace_back(text);
                      if (lines.back().starts_with(line)) warned = true;
                    }};
  warned = false;
  const RunResult result = launch(config, executors::TeamOptions{.executor = executor}, what);
  EXPECT_EQ(result.error.code, ErrorCode::ok) << result.error.message;
  EXPECT_THAT(lines, testing::Contains(testing::StartsWith(line)));
}

/// The orchestrator would wait for more than the one task that is in its way.
TEST_P(BackPressure, OfALargeWindowIsWarnedOf) {
  DeviceConfig config = small_device();
  config.window = 32;
  config.heap_bytes = 1 << 20;
  expect_warning(GetParam(), config,
                 "[TaskRing] BLOCKED (Flow Control): current=31, last_alive=0, active=31/32",
                 [](PTO2Runtime* rt) {
                   for (int i = 0; i < 40; ++i) {
                     PTO2_SCOPE(rt) {
                       (void)submit(rt, i == 0 ? 0 : 1);
                     }
                   }
                 });
}

std::atomic<int> submitting{0};

/// Fails while the orchestrator waits for a slot of a window of 32.
void failing_kernel(int64_t*) {
  while (submitting.load() < 31) std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  throw std::runtime_error("enough");
}

/// Nobody will free the part of the window that is waited for.
TEST_P(BackPressure, OfALargeWindowEndsWithTheRun) {
  static constexpr KernelEntry kernels[] = {failing_kernel, quick_kernel};
  DeviceConfig config = small_device();
  config.window = 32;
  submitting = 0;
  const Launch what{kernels,
                    [](PTO2Runtime* rt) {
                      for (int i = 0; i < 40; ++i) {
                        submitting = i;
                        PTO2_SCOPE(rt) {
                          pto2_rt_submit_task(rt, i == 0 ? 0 : 1, PTO2_WORKER_CUBE, nullptr, 0);
                        }
                      }
                    },
                    {}};
  const RunResult result = launch(config, executors::TeamOptions{.executor = GetParam()}, what);
  EXPECT_EQ(result.error.code, ErrorCode::kernel_threw) << result.error.message;
}

std::atomic<bool> asking{false};
std::atomic<bool> gone_on{false};
std::atomic<bool> is_late{false};

/// Ends while the orchestrator waits.
void making_room_kernel(int64_t*) {
  while (!asking.load()) std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
}

/// Ends when the orchestrator has gone on, or never would before.
void staying_kernel(int64_t*) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(5);
  while (!gone_on.load() && !is_late.load()) {
    if (std::chrono::steady_clock::now() > end) is_late = true;
    std::this_thread::yield();
  }
}

/// Expects that the last task that `entry` submits waits for kernel 2 alone, and not for kernel 0.
void expect_to_go_on(const DeviceConfig& config, void (*entry)(PTO2Runtime*)) {
  static constexpr KernelEntry kernels[] = {staying_kernel, quick_kernel, making_room_kernel};
  asking = gone_on = is_late = false;
  const Launch what{kernels,
                    [entry](PTO2Runtime* rt) {
                      pto2_rt_init_tensor_pool(rt);
                      entry(rt);
                      gone_on = true;
                    },
                    {}};
  const executors::TeamOptions team{.executor = executors::Executor::threads};
  const RunResult result = launch(config, team, what);
  EXPECT_EQ(result.error.code, ErrorCode::ok) << result.error.message;
  EXPECT_EQ(result.waits, 1U);
  EXPECT_FALSE(is_late);
}

/// Of sixteen slots an eighth is one.
TEST(BackPressureInParts, EndsWithTheSlotThatIsAwaited) {
  DeviceConfig config = small_device();
  config.window = 16;
  expect_to_go_on(config, [](PTO2Runtime* rt) {
    for (int i = 0; i < 16; ++i) {
      PTO2_SCOPE(rt) {
        if (i == 15) asking = true;
        (void)submit(rt, i == 0 ? 2 : i == 1 ? 0 : 1);
      }
    }
  });
}

/// The ring that the orchestrator submits to has nothing to give.
TEST(BackPressureInParts, OfTheTensorMapEndsWithEntriesOfAnotherRing) {
  DeviceConfig config = small_device();
  config.tensormap_pool = 16;
  expect_to_go_on(config, [](PTO2Runtime* rt) {
    for (int i = 0; i < 8; ++i) {
      pto2_rt_submit_task(rt, i == 0 ? 0 : 1, PTO2_WORKER_CUBE, nullptr, 0);
    }
    PTO2_SCOPE(rt) {
      for (int i = 0; i < 16; ++i) (void)submit(rt, i == 0 ? 2 : 1);
    }
    asking = true;
    (void)submit(rt, 1);
  });
}

TEST_P(BackPressure, OfTheHeapIsWarnedOfWithItsState) {
  DeviceConfig config = small_device();
  config.heap_bytes = 8192;
  expect_warning(
      GetParam(), config,
      "[HeapRing] BLOCKED: requesting 4096 bytes, available=2048, top=5120, tail=0, size=8192,",
      [](PTO2Runtime* rt) {
        PTO2_SCOPE(rt) {
          (void)submit(rt, 0);
          (void)submit(rt, 1, {}, 512);
        }
        PTO2_SCOPE(rt) {
          (void)submit(rt, 1, {}, 512);
        }
      });
}

TEST_P(BackPressure, OfTheDependencyPoolIsWarnedOfWithWhatIsInUse) {
  DeviceConfig config = small_device();
  config.dep_pool = 16;
  expect_warning(GetParam(), config, "[DepPool] BLOCKED: requesting 2 nodes, used=15/16,",
                 [](PTO2Runtime* rt) {
                   PTO2_SCOPE(rt) {
                     const Tensor slow = submit(rt, 0);
                     for (int i = 0; i < 15; ++i) (void)submit(rt, 1, {slow});
                   }
                   PTO2_SCOPE(rt) {
                     const Tensor one = submit(rt, 1);
                     const Tensor other = submit(rt, 1);
                     (void)submit(rt, 1, {one, other});
                   }
                 });
}

TEST_P(BackPressure, OfTheTensorMapIsWarnedOfWithWhatIsInUse) {
  DeviceConfig config = small_device();
  config.tensormap_pool = 16;
  expect_warning(GetParam(), config, "[TensorMap] BLOCKED: requesting 1 entries, used=16/16,",
                 [](PTO2Runtime* rt) {
                   PTO2_SCOPE(rt) {
                     (void)submit(rt, 0);
                     for (int i = 0; i < 15; ++i) (void)submit(rt, 1);
                   }
                   PTO2_SCOPE(rt) {
                     (void)submit(rt, 1);
                   }
                 });
}

TEST_P(BackPressure, OfAClusterIsWarnedOf) {
  DeviceConfig config = small_device();
  config.chip.clusters = 1;
  config.chip.schedulers = 1;
  for (const char* line :
       {"[Cluster] BLOCKED: no free cluster", "[Cluster] oldest alive: task 0 of ring 1"}) {
    expect_warning(GetParam(), config, line, [](PTO2Runtime* rt) {
      const int32_t cluster = pto2_rt_allocate_cluster(rt);
      PTO2_SCOPE(rt) {
        pto2_rt_submit_task_clustered(rt, 0, PTO2_WORKER_VECTOR, nullptr, 0, cluster);
      }
      pto2_rt_free_cluster(rt, cluster);
      EXPECT_EQ(pto2_rt_allocate_cluster(rt), cluster);
    });
  }
}

/// Both rings have a task alive; the one that waits is in ring 1.
TEST_P(BackPressure, OfAClusterNamesATaskOfTheRingThatWaits) {
  DeviceConfig config = small_device();
  config.chip.clusters = 1;
  config.chip.schedulers = 1;
  expect_warning(GetParam(), config, "[Cluster] oldest alive: task 0 of ring 1",
                 [](PTO2Runtime* rt) {
                   const int32_t cluster = pto2_rt_allocate_cluster(rt);
                   pto2_rt_submit_task_clustered(rt, 0, PTO2_WORKER_VECTOR, nullptr, 0, cluster);
                   PTO2_SCOPE(rt) {
                     (void)submit(rt, 1);
                     pto2_rt_free_cluster(rt, cluster);
                     EXPECT_EQ(pto2_rt_allocate_cluster(rt), cluster);
                   }
                 });
}

INSTANTIATE_TEST_SUITE_P(Executors, BackPressure,
                         testing::Values(executors::Executor::packed,
                                         executors::Executor::threads));

}  // namespace
}  // namespace pto2::test::back_pressure
