/// Launches that know how large the arrays behind their arguments are.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "runtime/orchestrator/recorded_graph.hpp"
#include "tests/runtime/device/task_graph.hpp"

namespace pto2::test {
namespace {

using testing::HasSubstr;

class CallerArraysOfARun : public testing::TestWithParam<ExecutorKind> {
 protected:
  /// A task that updates a tensor of so many words.
  RunResult run(uint64_t words, std::span<const CallerArray> arrays,
                RecordedGraph* graph = nullptr) {
    static constexpr KernelEntry kernels[] = {no_kernel};
    Launch what{kernels,
                [&](PTO2Runtime* rt) {
                  pto2_rt_init_tensor_pool(rt);
                  const Tensor tensor =
                      make_tensor_external(memory_.data(), &words, 1, DataType::INT64);
                  const PTOParam param = make_inout_param(tensor);
                  pto2_rt_submit_task(rt, 0, PTO2_WORKER_VECTOR, &param, 1);
                },
                {}};
    what.arrays = arrays;
    what.graph = graph;
    return run_at(GetParam(), small_device(), what);
  }
  CallerArray array_of(uint64_t words) {
    return {"x", reinterpret_cast<uint64_t>(memory_.data()), words * sizeof(uint64_t)};
  }

  std::array<uint64_t, 8> memory_{};
};

INSTANTIATE_TEST_SUITE_P(Everywhere, CallerArraysOfARun, testing::ValuesIn(everywhere()),
                         [](const auto& test) { return executor_name(test.param); });

TEST_P(CallerArraysOfARun, HoldTheTensors) {
  const CallerArray four = array_of(4);
  const RunResult fits = run(4, {&four, 1});
  EXPECT_EQ(fits.error.code, ErrorCode::ok) << fits.error.message;
  EXPECT_EQ(fits.tasks, 1U);
  const RunResult result = run(5, {&four, 1});
  EXPECT_EQ(result.error.code, ErrorCode::bad_submission);
  EXPECT_THAT(result.error.message, HasSubstr("int64 of shape [5] has 40 bytes, but x has 32;"));
  EXPECT_THAT(result.error.hint, HasSubstr("make_tensor"));
  EXPECT_EQ(result.tasks, 0U) << "no kernel has seen it";
  EXPECT_EQ(run(8, {}).error.code, ErrorCode::ok) << "nobody knows";
}

/// What was recorded was compared with other arrays.
TEST_P(CallerArraysOfARun, AreThoseThatAGraphWasRecordedWith) {
  RecordedGraph graph;
  const CallerArray four = array_of(4);
  const CallerArray eight = array_of(8);
  using Kind = GraphUse::Kind;
  EXPECT_EQ(run(5, {}, &graph).graph.kind, Kind::recorded);
  EXPECT_EQ(run(5, {}, &graph).graph.kind, Kind::replayed);
  EXPECT_EQ(run(5, {&four, 1}, &graph).error.code, ErrorCode::bad_submission);
  EXPECT_EQ(run(5, {&eight, 1}, &graph).graph.kind, Kind::recorded);
  EXPECT_EQ(run(5, {&eight, 1}, &graph).graph.kind, Kind::replayed);
  EXPECT_EQ(run(5, {&four, 1}, &graph).error.code, ErrorCode::bad_submission);
}

}  // namespace
}  // namespace pto2::test
