/// Right runs whose edges are few are judged by VR-I23: who reads what somebody has written who was
/// consumed, or reclaimed, has no edge to that one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "bench/graphs.hpp"
#include "runtime/judge/judge.hpp"
#include "runtime/orchestrator/recorded_graph.hpp"
#include "tests/runtime/device/task_graph.hpp"

namespace pto2::test {
namespace {

void expect_no_races(const RunResult& result) {
  EXPECT_EQ(result.error.code, ErrorCode::ok) << result.error.message;
  EXPECT_THAT(judging::problems_of(result.record, {.races = true}), testing::IsEmpty());
}

/// Where one reader of three finds a writer consumed, the next ones do not name it; and two steps
/// later somebody writes what they have read.
TEST(JudgedRaces, AreNotInAStencil) {
  static constexpr KernelEntry kernels[] = {no_kernel};
  bench::GraphMemory memory;
  DeviceConfig config = small_device();
  config.window = 128;
  config.tensormap_pool = 512;
  config.dep_pool = 512;
  const auto submit = [&](PTO2Runtime* rt) {
    pto2_rt_init_tensor_pool(rt);
    bench::submit_stencil(rt, 4 * bench::stencil_points, memory);
  };
  for (uint64_t seed = 1; seed <= 100 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    expect_no_races(run_at(ExecutorKind::seeded, config, {kernels, submit, {}}, seed));
  }
}

/// The second task writes a column of what the first has written, the last one reads words between
/// the column's, by another shape: it comes behind the second out of care, and so behind the first.
void submit_column(PTO2Runtime* rt, float* matrix) {
  pto2_rt_init_tensor_pool(rt);
  const std::array<uint64_t, 2> square{4, 4};
  const std::array<uint64_t, 2> column{4, 1};
  const std::array<uint64_t, 2> corner{0, 0};
  const std::array<uint64_t, 1> flat{16};
  const std::array<uint64_t, 1> three{3};
  const std::array<uint64_t, 1> second{1};
  const Tensor all = make_tensor_external(matrix, square.data(), 2);
  const PTOParam writes[] = {make_output_param(all)};
  pto2_rt_submit_task(rt, 0, PTO2_WORKER_VECTOR, writes, 1);
  PTO2_SCOPE(rt) {
    const PTOParam updates[] = {make_inout_param(all.view(column.data(), corner.data()))};
    pto2_rt_submit_task(rt, 0, PTO2_WORKER_VECTOR, updates, 1);
  }
  // The orchestrator waits for the heap of that ring, and so until it was reclaimed; that it was is
  // no part of the graph.
  for (int i = 0; i < 2; ++i) {
    PTO2_SCOPE(rt) {
      const std::array<uint64_t, 1> most_of_the_heap{700};
      const PTOParam large[] = {make_output_param(make_tensor(most_of_the_heap.data(), 1))};
      pto2_rt_submit_task(rt, 0, PTO2_WORKER_VECTOR, large, 1);
    }
  }
  const Tensor row = all.reshape(flat.data(), 1).view(three.data(), second.data());
  const PTOParam reads[] = {make_input_param(row)};
  pto2_rt_submit_task(rt, 0, PTO2_WORKER_VECTOR, reads, 1);
}

/// The edge to the first task is left out because that to the second orders them, which is needless
/// when that was reclaimed.
TEST(JudgedRaces, AreNotInAReplayedGraph) {
  static constexpr KernelEntry kernels[] = {no_kernel};
  std::array<float, 16> matrix{};
  RecordedGraph graph;
  Launch what{kernels, [&](PTO2Runtime* rt) { submit_column(rt, matrix.data()); }, {}};
  what.graph = &graph;
  for (const GraphUse::Kind expected : {GraphUse::Kind::recorded, GraphUse::Kind::replayed}) {
    const RunResult result = run_at(ExecutorKind::seeded, tiny_device(), what);
    EXPECT_EQ(result.graph.kind, expected);
    expect_no_races(result);
    if (expected == GraphUse::Kind::replayed) {
      EXPECT_THAT(result.record.tasks.back().producers, testing::IsEmpty());
    }
  }
}

}  // namespace
}  // namespace pto2::test
