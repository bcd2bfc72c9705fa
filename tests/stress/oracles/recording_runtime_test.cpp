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

}  // namespace
}  // namespace pto2::oracle
