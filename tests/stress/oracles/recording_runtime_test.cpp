#include "stress/oracles/recording_runtime.hpp"

#include <gtest/gtest.h>

namespace pto2::oracle {
namespace {

/// Where a view of a tensor lies is known by its axes: those of its memory alone.
TEST(RecordingRuntime, KnowsTheViewsOfWhatHasKeptItsAxes) {
  const uint64_t shape[] = {4, 4};
  const uint64_t corner[] = {2, 2};
  const auto knows = [&](auto&& change) {
    RecordingRuntime runtime;
    const uint64_t tensor = runtime.ops->make_tensor(&runtime, 0, shape, 2, DataType::INT32);
    runtime.ops->view(&runtime, change(runtime, tensor), corner, corner);
    return runtime.boxes_are_apart();
  };
  EXPECT_TRUE(knows([](PTO2Runtime&, uint64_t tensor) { return tensor; }));
  EXPECT_FALSE(knows([](PTO2Runtime& runtime, uint64_t tensor) {
    return runtime.ops->transpose(&runtime, tensor, 0, 1);
  }));
  EXPECT_FALSE(knows([&](PTO2Runtime& runtime, uint64_t tensor) {
    return runtime.ops->reshape(&runtime, tensor, shape, 2);
  }));
}

/// The tensor that was transposed or reshaped has its own axes still.
TEST(RecordingRuntime, AChangedTensorIsAnother) {
  const uint64_t shape[] = {4, 4};
  const uint64_t corner[] = {2, 2};
  RecordingRuntime runtime;
  const uint64_t tensor = runtime.ops->make_tensor(&runtime, 0, shape, 2, DataType::INT32);
  EXPECT_NE(runtime.ops->transpose(&runtime, tensor, 0, 1), tensor);
  EXPECT_NE(runtime.ops->reshape(&runtime, tensor, shape, 2), tensor);
  runtime.ops->view(&runtime, tensor, corner, corner);
  EXPECT_TRUE(runtime.boxes_are_apart());
}

/// Rows [0, 2) of a tensor are written; other rows are used behind them, or before.
TEST(RecordingRuntime, TilesThatTouchAreApart) {
  const uint64_t whole[] = {6, 2};
  const auto are_apart = [&](uint64_t written, uint64_t rows, uint64_t used) {
    RecordingRuntime runtime;
    const uint64_t tensor = runtime.ops->make_tensor(&runtime, 64, whole, 2, DataType::INT32);
    const auto tile = [&](uint64_t begin, uint64_t count) {
      const uint64_t shape[] = {count, 2};
      const uint64_t offset[] = {begin, 0};
      return Tensor{runtime.ops->view(&runtime, tensor, shape, offset)};
    };
    runtime.scope_begin();
    const PTOParam first[] = {make_output_param(tile(written, 2))};
    const PTOParam second[] = {make_output_param(tile(used, rows))};
    runtime.ops->submit_task(&runtime, 0, PTO2_WORKER_VECTOR, first, 1);
    runtime.ops->submit_task(&runtime, 0, PTO2_WORKER_VECTOR, second, 1);
    return runtime.boxes_are_apart();
  };
  EXPECT_TRUE(are_apart(0, 2, 2)) << "behind";
  EXPECT_TRUE(are_apart(4, 2, 2)) << "before";
  EXPECT_FALSE(are_apart(0, 2, 1));
  EXPECT_FALSE(are_apart(4, 3, 2));
}

/// Who writes a buffer without reading it depends on the task that allocated it, by a node.
TEST(RecordingRuntime, AnOwnerTakesANode) {
  RecordingRuntime runtime;
  const uint64_t shape[] = {4};
  const Tensor tensor{runtime.ops->make_tensor(&runtime, 0, shape, 1, DataType::INT32)};
  const PTOParam params[] = {make_output_param(tensor)};
  runtime.scope_begin();
  for (int task = 0; task < 2; ++task) {
    runtime.ops->submit_task(&runtime, 0, PTO2_WORKER_VECTOR, params, 1);
  }
  ASSERT_EQ(runtime.tasks().size(), 2U);
  EXPECT_EQ(runtime.tasks()[1].owners, std::vector<size_t>{0});
  EXPECT_EQ(runtime.program().back().dep_nodes, 1U);
}

}  // namespace
}  // namespace pto2::oracle
