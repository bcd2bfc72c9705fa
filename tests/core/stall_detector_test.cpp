#include "core/stall_detector.hpp"

#include <gtest/gtest.h>

#include <array>

#include "tests/core/policy.hpp"

namespace pto2 {
namespace {

TEST(StallDetector, IsQuiescentWhenAllSubmittedTasksHaveFinished) {
  std::array<FinishedCount<TestPolicy>, 3> finished;
  const StallDetector<TestPolicy> detector(finished);
  EXPECT_TRUE(detector.quiescent(0));
  EXPECT_FALSE(detector.quiescent(4));
  finished[0].add(1);
  finished[2].add(2);
  EXPECT_EQ(detector.finished(), 3u);
  EXPECT_FALSE(detector.quiescent(4));
  finished[0].add(1);
  EXPECT_TRUE(detector.quiescent(4));
  EXPECT_FALSE(detector.quiescent(5));
}

TEST(StallDetector, SaysWhenMoreFinishedThanWereSubmitted) {
  std::array<FinishedCount<TestPolicy>, 2> finished;
  const StallDetector<TestPolicy> detector(finished);
  finished[1].add(3);
  EXPECT_TRUE(detector.invariant_holds(4));
  EXPECT_TRUE(detector.invariant_holds(3));
  EXPECT_FALSE(detector.invariant_holds(2));
  finished[0].own = 1;
  EXPECT_FALSE(detector.invariant_holds(9)) << "a count that was not published";
}

TEST(StallDetector, CountsAreOnLinesOfTheirOwn) {
  EXPECT_EQ(sizeof(FinishedCount<TestPolicy>) % cache_line, 0u);
  EXPECT_EQ(alignof(FinishedCount<TestPolicy>), cache_line);
}

TEST(StallDetectorDeathTest, MoreFinishedThanWereSubmitted) {
  std::array<FinishedCount<TestPolicy>, 2> finished;
  const StallDetector<TestPolicy> detector(finished);
  finished[1].add(3);
  EXPECT_DEATH((void)detector.quiescent(2), "SD-I1");
}

}  // namespace
}  // namespace pto2
