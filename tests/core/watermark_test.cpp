#include "core/watermark.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "tests/core/policy.hpp"

namespace pto2 {
namespace {

TEST(Watermark, StopsAtTheFirstTaskThatIsNotConsumed) {
  Watermark<TestPolicy> watermark;
  std::vector<bool> consumed{true, true, false, true};
  const auto is_consumed = [&](uint64_t local) { return local < 4 && consumed[local]; };
  EXPECT_EQ(watermark.observe(), 0u);
  EXPECT_EQ(watermark.advance(is_consumed), Advance::advanced);
  EXPECT_EQ(watermark.advance(is_consumed), Advance::advanced);
  EXPECT_EQ(watermark.advance(is_consumed), Advance::not_next);
  EXPECT_EQ(watermark.observe(), 2u);
  consumed[2] = true;
  EXPECT_EQ(watermark.advance(is_consumed), Advance::advanced);
  EXPECT_EQ(watermark.advance(is_consumed), Advance::advanced);
  EXPECT_EQ(watermark.advance(is_consumed), Advance::not_next);
  EXPECT_EQ(watermark.observe(), 4u);
}

TEST(Watermark, SaysWhenItPassedATaskThatIsNotThere) {
  Watermark<TestPolicy> watermark;
  EXPECT_TRUE(watermark.invariant_holds(0));
  EXPECT_EQ(watermark.advance([](uint64_t) { return true; }), Advance::advanced);
  EXPECT_TRUE(watermark.invariant_holds(1));
  EXPECT_FALSE(watermark.invariant_holds(0));
}

TEST(Watermark, ALostRaceMovesNothing) {
  Watermark<TestPolicy> watermark;
  // Another thread advances between the look and the move.
  const auto meanwhile = [&](uint64_t) {
    EXPECT_EQ(watermark.advance([](uint64_t) { return true; }), Advance::advanced);
    return true;
  };
  EXPECT_EQ(watermark.advance(meanwhile), Advance::lost_race);
  EXPECT_EQ(watermark.observe(), 1u);
}

}  // namespace
}  // namespace pto2
