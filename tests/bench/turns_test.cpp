#include "bench/kernels/turns.hpp"

#include <gtest/gtest.h>

#include "bench/kernels/section.hpp"

namespace pto2::bench {
namespace {

/// A round that something slowed counts for nothing, nor does one that slowed both alike.
TEST(Turns, TakeMediansOfTimesAndOfTheRoundsRatios) {
  const std::vector<Contender> contenders{{"first", 1, {}}, {"second", 1, {}}};
  const std::vector<Timing> timings =
      timings_of(contenders, {{10, 20}, {100, 150}, {30, 90}, {10, 1000}, {20, 20}});
  ASSERT_EQ(timings.size(), 2);
  EXPECT_EQ(timings[0].name, "first");
  EXPECT_EQ(timings[0].ns, 20);
  EXPECT_EQ(timings[0].ratio, 1);
  EXPECT_EQ(timings[1].name, "second");
  EXPECT_EQ(timings[1].ns, 90);
  EXPECT_EQ(timings[1].ratio, 2);
}

/// What is slow takes fewer calls, and is divided by what a call does.
TEST(Turns, DivideByTheUnitsOfEachContender) {
  int calls[2] = {};
  const std::vector<Timing> timings =
      measure_in_turns({{"first", 1, [&] { ++calls[0]; }}, {"second", 1e6, [&] { ++calls[1]; }}});
  EXPECT_GT(calls[0], 0);
  EXPECT_GT(calls[1], 0);
  EXPECT_LT(timings[1].ratio, 1e-3);
  EXPECT_LT(timings[1].ns, timings[0].ns);
}

/// By the second contender, the widest.
TEST(Turns, AComparisonIsBrokenByAWidestThatIsTooSlow) {
  const auto broken = [](double widest, double most) {
    return Comparison{"", {{"peer", 1, 1}, {"widest", 1, widest}, {"narrow", 1, 9}}, most}
        .is_broken();
  };
  EXPECT_TRUE(broken(2.1, 2));
  EXPECT_FALSE(broken(2, 2));
  EXPECT_FALSE(broken(9, 0));
}

}  // namespace
}  // namespace pto2::bench
