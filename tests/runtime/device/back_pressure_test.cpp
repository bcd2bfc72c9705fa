/// What a user sees of back-pressure.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "runtime/device/run_rules.hpp"
#include "tests/runtime/device/task_graph.hpp"

namespace pto2::test {
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
  EXPECT_THAT(broken_rules(config, result), testing::IsEmpty());
  return lines;
}

TEST_P(BackPressure, ALongWaitIsWarnedOf) {
  const auto lines = blocked_lines(GetParam(), slow_kernel);
  EXPECT_THAT(lines,
              testing::Contains(testing::HasSubstr(
                  "[TaskRing] BLOCKED (Flow Control): current=3, last_alive=0, active=3/4")));
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

INSTANTIATE_TEST_SUITE_P(Executors, BackPressure,
                         testing::Values(executors::Executor::packed,
                                         executors::Executor::threads));

}  // namespace
}  // namespace pto2::test
