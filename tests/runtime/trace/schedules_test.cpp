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

enum class Traced { nothing, events, tasks };

RunResult run(Traced traced, uint64_t seed) {
  static constexpr KernelEntry kernels[] = {hash_kernel, push_kernel};
  DeviceConfig config = tiny_device();
  config.window = 16;
  config.heap_bytes = 16384;
  config.events = traced == Traced::nothing ? 0 : 4096;
  config.task_trace = traced == Traced::tasks;
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

/// The events of all threads but the scopes', which only traced runs have.
std::vector<Event> comparable(const RunResult& result) {
  std::vector<Event> events;
  for (const EventLog& log : result.events) {
    for (const Event& event : log.events()) {
      if (event.kind == EventKind::scope_begin || event.kind == EventKind::scope_end) continue;
      events.push_back(event);
    }
  }
  return events;
}

TEST(TracedSchedules, AreThoseOfRunsWithoutATrace) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    const RunResult plain = run(Traced::nothing, seed);
    ASSERT_EQ(plain.error.code, ErrorCode::ok) << plain.error.message;
    ASSERT_GT(plain.points, 0U);
    const RunResult events = run(Traced::events, seed);
    const RunResult tasks = run(Traced::tasks, seed);
    EXPECT_EQ(events.points, plain.points);
    EXPECT_EQ(tasks.points, plain.points);
    EXPECT_EQ(tasks.waits, plain.waits);
    EXPECT_EQ(tasks.steals, plain.steals);
    const std::vector<Event> a = comparable(events);
    const std::vector<Event> b = comparable(tasks);
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
      EXPECT_EQ(a[i].tick, b[i].tick);
      EXPECT_EQ(a[i].kind, b[i].kind);
      EXPECT_EQ(a[i].task, b[i].task);
    }
    EXPECT_EQ(tasks.task_trace.tasks().size(), tasks.tasks);
    EXPECT_EQ(tasks.task_trace.requests().size(), tasks.waits);
    EXPECT_TRUE(events.task_trace.tasks().empty());
  }
}

TEST(TracedSchedules, KeepAsManyTasksAsEvents) {
  static constexpr KernelEntry kernels[] = {hash_kernel};
  DeviceConfig config = small_device();
  config.events = 7;
  config.task_trace = true;
  std::optional<TaskGraph> graph;
  const Launch what{kernels,
                    [&](PTO2Runtime* rt) {
                      graph.emplace(rt);
                      for (int i = 0; i < 20; ++i) static_cast<void>(graph->task({}));
                    },
                    {}};
  const RunResult result = launch(config, executors::SeededOptions{.seed = 1}, what);
  EXPECT_EQ(result.tasks, 20U);
  EXPECT_EQ(result.task_trace.tasks().size(), 7U);
}

}  // namespace
}  // namespace pto2::test
