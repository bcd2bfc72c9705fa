// A trace changes no seeded schedule: what it keeps besides the events is the orchestrator's alone.
#include <gtest/gtest.h>

#include <vector>

#include "runtime/include/pto_kernel_api.h"
#include "tests/runtime/device/task_graph.hpp"

namespace pto2::test {
namespace {

/// Parameters: a pipe. Leaves one entry more in it.
void push_kernel(int64_t* args) {
  (void)TPUSH(args, 0);
}

/// Groups in turn on few clusters, whose pipes are not empty in the end.
void build_pipes(PTO2Runtime* rt) {
  for (int group = 0; group < 6; ++group) {
    PTO2_SCOPE(rt) {
      const int32_t cluster = pto2_rt_allocate_cluster(rt);
      PTOParam pipe[] = {make_pipe_out_param(3, 4, 64)};
      for (int i = 0; i < 3; ++i) {
        pto2_rt_submit_task_clustered(rt, 1, PTO2_WORKER_VECTOR, pipe, 1, cluster);
      }
    }
  }
}

/// Waits for slots, nested scopes, producers in another ring, a buffer that is written again.
void build(TaskGraph& graph) {
  Value first = graph.task({}, 300);
  for (int i = 0; i < 12; ++i) {
    PTO2_SCOPE(graph.runtime()) {
      const Value inner = graph.task({first}, 200);
      graph.update(first, {inner});
    }
  }
}

enum class Traced { nothing, events };

RunResult run(Traced traced, uint64_t seed) {
  static constexpr KernelEntry kernels[] = {hash_kernel, push_kernel};
  DeviceConfig config = tiny_device();
  config.window = 16;
  config.heap_bytes = 16384;
  config.events = traced == Traced::nothing ? 0 : 4096;
  std::optional<TaskGraph> graph;
  const Launch what{kernels,
                    [&](PTO2Runtime* rt) {
                      graph.emplace(rt);
                      build(*graph);
                      build_pipes(rt);
                    },
                    {}};
  return launch(config, executors::SeededOptions{.seed = seed}, what);
}

TEST(TracedSchedules, AreThoseOfRunsWithoutATrace) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    const RunResult plain = run(Traced::nothing, seed);
    ASSERT_EQ(plain.error.code, ErrorCode::ok) << plain.error.message;
    ASSERT_GT(plain.points, 0U);
    const RunResult traced = run(Traced::events, seed);
    EXPECT_EQ(static_cast<const Counts&>(traced), plain);
    EXPECT_EQ(traced.record.counts, traced);
    EXPECT_EQ(traced.record.tasks.size(), traced.tasks);
    EXPECT_TRUE(plain.record.events.empty());
  }
}

TEST(TracedSchedules, KeepAsManyTasksAsEvents) {
  static constexpr KernelEntry kernels[] = {hash_kernel};
  DeviceConfig config = small_device();
  config.events = 7;
  std::optional<TaskGraph> graph;
  const Launch what{kernels,
                    [&](PTO2Runtime* rt) {
                      graph.emplace(rt);
                      for (int i = 0; i < 20; ++i) static_cast<void>(graph->task({}));
                    },
                    {}};
  const RunResult result = launch(config, executors::SeededOptions{.seed = 1}, what);
  EXPECT_EQ(result.tasks, 20U);
  EXPECT_LT(result.record.tasks.size(), 7U);
  EXPECT_GT(result.record.tasks.size(), 0U);
  EXPECT_GT(result.record.dropped, 13U);
}

}  // namespace
}  // namespace pto2::test
