#include "core/watermark.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "tests/core/policy.hpp"

namespace pto2 {
namespace {

/// Says that no task is consumed.
constexpr auto never = [](uint64_t) { return false; };
/// Is not interested in what is passed.
constexpr auto nobody = [](uint64_t) {};

TEST(Watermark, StopsAtTheFirstTaskThatIsNotConsumed) {
  Watermark<TestPolicy> watermark;
  std::vector<bool> consumed{true, true, false, true};
  std::vector<uint64_t> passed;
  const auto advance = [&](uint64_t task) {
    return watermark.advance(
        task, [&](uint64_t local) { return local < 4 && consumed[local]; },
        [&](uint64_t local) { passed.push_back(local); });
  };
  EXPECT_EQ(watermark.observe(), 0u);
  EXPECT_EQ(advance(3), Advance::not_next);
  EXPECT_EQ(advance(1), Advance::not_next);
  EXPECT_EQ(watermark.observe(), 0u);
  EXPECT_EQ(advance(0), Advance::advanced);
  EXPECT_EQ(watermark.observe(), 2u);
  EXPECT_EQ(advance(1), Advance::not_next) << "it has been passed";
  consumed[2] = true;
  EXPECT_EQ(advance(2), Advance::advanced);
  EXPECT_EQ(watermark.observe(), 4u);
  EXPECT_EQ(passed, (std::vector<uint64_t>{0, 1, 2, 3}));
}

TEST(Watermark, SaysWhenItPassedATaskThatIsNotThere) {
  Watermark<TestPolicy> watermark;
  EXPECT_TRUE(watermark.invariant_holds(0));
  EXPECT_EQ(watermark.advance(0, never, nobody), Advance::advanced);
  EXPECT_TRUE(watermark.invariant_holds(1));
  EXPECT_FALSE(watermark.invariant_holds(0));
}

TEST(Watermark, ALostRaceMovesNothing) {
  Watermark<TestPolicy> watermark;
  std::vector<uint64_t> passed;
  // Another thread goes on between the look at task 1 and the move.
  const auto meanwhile = [&](uint64_t local) {
    EXPECT_EQ(watermark.advance(local, never, nobody), Advance::advanced);
    return true;
  };
  EXPECT_EQ(watermark.advance(0, meanwhile, [&](uint64_t local) { passed.push_back(local); }),
            Advance::lost_race);
  EXPECT_EQ(watermark.observe(), 2u);
  EXPECT_EQ(passed, std::vector<uint64_t>{0});
}

}  // namespace
}  // namespace pto2
