/// The states that a run which was given up left its tasks in: initial, ready, completed, consumed.
#include <gtest/gtest.h>

#include "core/task_state.hpp"
#include "runtime/executors/random.hpp"
#include "tests/runtime/device/task_graph.hpp"

namespace pto2::test {
namespace {

uint64_t count(const RunResult& result, EventKind kind) {
  uint64_t found = 0;
  for (const Event& event : result.record.events) found += event.kind == kind ? 1 : 0;
  return found;
}

/// Chains of tasks, some in scopes that end, then a submission that is refused.
void submit_until_refused(TaskGraph& graph, uint64_t seed) {
  executors::Random random(seed);
  PTO2Runtime* const rt = graph.runtime();
  const Value first = graph.task({});
  for (uint64_t chains = 1 + random.below(4); chains != 0; --chains) {
    PTO2_SCOPE(rt) {
      Value value = graph.task({first});
      for (uint64_t links = random.below(4); links != 0; --links) value = graph.task({value});
    }
  }
  rt->ops->submit_task(rt, -1, PTO2_WORKER_CUBE, nullptr, 0);
}

/// What the runtime says of its tasks is what their events tell.
TEST(TaskPhases, AgreeWithTheEvents) {
  static constexpr KernelEntry kernels[] = {hash_kernel};
  std::array<uint64_t, 4> seen{};
  for (ExecutorKind where : everywhere()) {
    for (uint64_t seed = 1; seed <= 100; ++seed) {
      std::deque<TaskGraph> graphs;
      const Launch what{
          kernels,
          [&](PTO2Runtime* rt) { submit_until_refused(graphs.emplace_back(rt), seed); },
          {}};
      const RunResult result = run_at(where, small_device(), what, seed);
      ASSERT_EQ(result.error.code, ErrorCode::bad_submission) << result.error.message;
      const uint64_t ready = count(result, EventKind::ready);
      const uint64_t consumed = count(result, EventKind::consume);
      const std::array<uint64_t, 4> expected{result.tasks - ready, ready - result.completions,
                                             result.completions - consumed, consumed};
      ASSERT_EQ(result.phases, expected) << executor_name(where) << ", seed " << seed;
      for (uint32_t phase = 0; phase < 4; ++phase) seen[phase] += result.phases[phase];
    }
  }
  for (uint32_t phase = 0; phase < 4; ++phase) {
    EXPECT_NE(seen[phase], 0U) << phase_name(static_cast<Phase>(phase));
  }
}

/// Nobody asks after a run that went well.
TEST(TaskPhases, AreNotCountedAfterARunThatEndedWell) {
  static constexpr KernelEntry kernels[] = {hash_kernel};
  std::deque<TaskGraph> graphs;
  const Launch what{kernels, [&](PTO2Runtime* rt) { (void)graphs.emplace_back(rt).task({}); }, {}};
  const RunResult result = run_at(everywhere().front(), small_device(), what);
  EXPECT_EQ(result.error.code, ErrorCode::ok);
  EXPECT_EQ(result.phases, (std::array<uint64_t, 4>{}));
}

}  // namespace
}  // namespace pto2::test
