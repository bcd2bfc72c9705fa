#include "bench/peers/calibration.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace pto2::bench {
namespace {

/// More turns take longer; no more is sure of a busy machine.
TEST(Calibration, IsThatOfAProcessor) {
  EXPECT_GT(turns_per_ns(1), 0.01);
  EXPECT_LT(turns_per_ns(1), 100);
}

TEST(Calibration, HasACpuForEachThread) {
  EXPECT_THROW((void)turns_per_ns(0), std::runtime_error);
  EXPECT_THROW((void)turns_per_ns(100'000), std::runtime_error);
}

/// One stretch that was interrupted for long, and one that was not at all, count for nothing.
TEST(Calibration, TakesTheMedianOfAThreadAndTheMeanOfThreads) {
  EXPECT_DOUBLE_EQ(turns_per_ns(120, {{40, 2000, 10}}), 3);
  EXPECT_DOUBLE_EQ(turns_per_ns(120, {{40, 40, 40}, {120, 120, 120}}), 2);
}

}  // namespace
}  // namespace pto2::bench
