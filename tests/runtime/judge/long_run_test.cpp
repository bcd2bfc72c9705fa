// A run of 10^5 tasks is judged in seconds.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "runtime/device/device.hpp"
#include "runtime/include/pto_orchestration_api.h"
#include "runtime/record/trace_writer.hpp"
#include "tests/runtime/judge/edited_trace.hpp"

namespace pto2::test {
namespace {

constexpr uint32_t chains = 8;
constexpr uint32_t tasks_per_chain = 12'500;

uint64_t memory[chains];

/// Chains side by side, in scopes that recycle slots, heap bytes and nodes.
void build(PTO2Runtime* rt) {
  pto2_rt_init_tensor_pool(rt);
  const uint64_t shape[] = {1};
  Tensor sums[chains];
  for (uint32_t chain = 0; chain < chains; ++chain) {
    sums[chain] = make_tensor_external(&memory[chain], shape, 1, DataType::INT64);
  }
  for (uint32_t task = 0; task < tasks_per_chain; ++task) {
    PTO2_SCOPE(rt) {
      Tensor last;
      for (uint32_t chain = 0; chain < chains; ++chain) {
        Tensor made = make_tensor(shape, 1, DataType::INT64);
        PTOParam params[] = {make_inout_param(sums[chain]), make_output_param(made),
                             make_input_param(last)};
        pto2_rt_submit_task(rt, 0, PTO2_WORKER_VECTOR, params, chain == 0 ? 2 : 3);
        last = made;
      }
    }
  }
}

Record long_run() {
  DeviceConfig config;
  config.window = 1024;
  config.heap_bytes = uint64_t{1} << 20;
  config.dep_pool = 4096;
  config.events = 1 << 20;
  static constexpr KernelEntry kernels[] = {[](int64_t*) {}};
  const RunResult result = launch(config, executors::TeamOptions{}, {kernels, build, {}});
  EXPECT_EQ(result.error.code, ErrorCode::ok) << result.error.message;
  return result.record;
}

TEST(LongRun, IsJudgedInSeconds) {
  std::string text;
  write_trace(long_run(), [&](std::string_view part) { text += part; });

  const auto begin = std::chrono::steady_clock::now();
  const Record trace = read_trace_text(text);
  const judging::Verdict verdict = judging::judge(trace, {.races = true});
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  EXPECT_EQ(trace.tasks.size(), 100'000U);
  EXPECT_TRUE(verdict.valid()) << verdict.violations.front().text;
  // A second here. A rule that looks at all tasks for each takes minutes.
  EXPECT_LT(seconds.count(), 60);
  RecordProperty("seconds", std::to_string(seconds.count()));
}

constexpr uint32_t writers = 60'000;

uint64_t tiles[writers];
std::atomic<bool> all_are_submitted;

/// Each writes a tile of one array.
void submit_writers(PTO2Runtime* rt) {
  pto2_rt_init_tensor_pool(rt);
  const uint64_t all[] = {writers};
  const uint64_t one[] = {1};
  // Makes one memory of it, in which the runtime need not look for writers.
  PTOParam whole[] = {make_input_param(make_tensor_external(tiles, all, 1, DataType::INT64))};
  pto2_rt_submit_task(rt, 0, PTO2_WORKER_VECTOR, whole, 1);
  for (uint64_t& tile : tiles) {
    PTOParam params[] = {make_output_param(make_tensor_external(&tile, one, 1, DataType::INT64))};
    pto2_rt_submit_task(rt, 0, PTO2_WORKER_VECTOR, params, 1);
  }
  all_are_submitted = true;
}

/// None of which has ended when the last is submitted.
TEST(LongRun, WritersOfOneMemoryAreJudgedInSeconds) {
  DeviceConfig config;
  config.chip = {.name = "small"};
  config.shard_capacity = 1 << 16;  // all are ready
  config.events = 1 << 20;
  static constexpr KernelEntry kernels[] = {[](int64_t*) {
    while (!all_are_submitted) std::this_thread::yield();
  }};
  const RunResult result =
      launch(config, executors::TeamOptions{.executor = executors::Executor::threads},
             {kernels, submit_writers, {}});
  ASSERT_EQ(result.error.code, ErrorCode::ok) << result.error.message;
  ASSERT_EQ(result.record.tasks.size(), 1 + writers);
  const auto begin = std::chrono::steady_clock::now();
  const judging::Verdict verdict = judging::judge(result.record, {});
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  EXPECT_TRUE(verdict.valid()) << verdict.violations.front().text;
  EXPECT_LT(seconds.count(), 5) << "less than one here; twelve if each looks at all others";
  RecordProperty("seconds", std::to_string(seconds.count()));
}

constexpr uint32_t groups = 200'000;

/// Each on the one cluster that there is, for which the orchestrator waits.
void submit_groups(PTO2Runtime* rt) {
  pto2_rt_init_tensor_pool(rt);
  for (uint32_t group = 0; group < groups; ++group) {
    PTO2_SCOPE(rt) {
      const int32_t cluster = pto2_rt_allocate_cluster(rt);
      pto2_rt_submit_task_clustered(rt, 0, PTO2_WORKER_VECTOR, nullptr, 0, cluster);
      pto2_rt_free_cluster(rt, cluster);
    }
  }
}

TEST(LongRun, WaitsForClustersAreJudgedInSeconds) {
  DeviceConfig config;
  config.chip = {.name = "small"};
  config.chip.clusters = config.chip.schedulers = 1;
  config.events = 1 << 21;
  static constexpr KernelEntry kernels[] = {[](int64_t*) {}};
  const RunResult result =
      launch(config, executors::TeamOptions{.host_threads = 1}, {kernels, submit_groups, {}});
  ASSERT_EQ(result.error.code, ErrorCode::ok) << result.error.message;
  EXPECT_GT(result.waits, groups / 2);
  const auto begin = std::chrono::steady_clock::now();
  const judging::Verdict verdict = judging::judge(result.record, {});
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  EXPECT_TRUE(verdict.valid()) << verdict.violations.front().text;
  EXPECT_LT(seconds.count(), 5) << "one here; ten if each looks at all that have come back";
  RecordProperty("seconds", std::to_string(seconds.count()));
}

/// Without patience every task has waited for long.
TEST(LongRun, ItsWaitsAreJudgedInSeconds) {
  const Record record = long_run();
  const auto begin = std::chrono::steady_clock::now();
  const judging::Verdict verdict = judging::judge(record, {.idle_limit = 0});
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  EXPECT_TRUE(verdict.valid() || verdict.violations.front().rule == "VR-I36");
  EXPECT_LT(seconds.count(), 20) << "one here; a minute if each looks at all kernels";
  RecordProperty("seconds", std::to_string(seconds.count()));
}

}  // namespace
}  // namespace pto2::test
