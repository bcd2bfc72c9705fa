#include "bench/peers/granularity.hpp"

#include <gtest/gtest.h>

namespace pto2::bench {
namespace {

/// A runtime that takes so many nanoseconds per task beside the kernel.
GranularitySearch search_with(double overhead_ns) {
  return GranularitySearch([=](double ns) { return ns / (ns + overhead_ns); });
}

/// Half of the time is the kernel's when it takes as long as the rest, three quarters when three
/// times as long.
TEST(GranularitySearch, FindsTheDurationFromAboveWithinNinePercent) {
  for (const double overhead : {20.0, 137.0, 1'000.0, 54'321.0}) {
    GranularitySearch search = search_with(overhead);
    for (const auto& [target, expected] : {std::pair{0.5, overhead}, {0.75, 3 * overhead}}) {
      const double found = search.smallest(target).value();
      EXPECT_GE(found, expected * 0.9999) << target;
      EXPECT_LE(found, expected * 1.0906) << target;
    }
  }
}

TEST(GranularitySearch, BeginsWithTheShortest) {
  EXPECT_EQ(search_with(3).smallest(0.5), GranularitySearch::shortest);
}

TEST(GranularitySearch, EndsWhereNothingIsReached) {
  GranularitySearch search([](double) { return 0.4; });
  EXPECT_EQ(search.smallest(0.5), std::nullopt);
  EXPECT_EQ(search.curve().rbegin()->first, GranularitySearch::longest);
}

TEST(GranularitySearch, MeasuresNothingTwice) {
  int calls = 0;
  GranularitySearch search([&](double ns) {
    ++calls;
    return ns / (ns + 500);
  });
  EXPECT_EQ(search.smallest(0.75), search.smallest(0.75));
  (void)search.smallest(0.5);
  EXPECT_EQ(static_cast<std::size_t>(calls), search.curve().size());
}

}  // namespace
}  // namespace pto2::bench
