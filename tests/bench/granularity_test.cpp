#include "bench/peers/granularity.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace pto2::bench {
namespace {

/// A runtime that takes so many nanoseconds per task beside the kernel.
GranularitySearch search_with(double overhead_ns) {
  return GranularitySearch([=](double ns) {
    return GranularitySearch::Point{ns, ns / (ns + overhead_ns)};
  });
}

/// Half of the time is the kernel's when it takes as long as the rest, three quarters when three
/// times as long.
TEST(GranularitySearch, FindsTheDurationFromAboveWithinNinePercent) {
  for (const double overhead : {20.0, 137.0, 1'000.0, 54'321.0}) {
    GranularitySearch search = search_with(overhead);
    for (const auto& [target, expected] : {std::pair{0.5, overhead}, {0.75, 3 * overhead}}) {
      const Granularity found = search.smallest(target).value();
      EXPECT_GE(found.ns, expected * 0.9999) << target;
      EXPECT_LE(found.ns, expected * 1.0906) << target;
      EXPECT_FALSE(found.at_most);
    }
  }
}

TEST(GranularitySearch, BeginsWithTheShortest) {
  const Granularity found = search_with(3).smallest(0.5).value();
  EXPECT_EQ(found.ns, GranularitySearch::shortest);
  EXPECT_TRUE(found.at_most);
}

/// With turns of 3 ns, of which a kernel takes whole ones.
TEST(GranularitySearch, SaysWhatKernelsTookNotWhatWasWanted) {
  const auto turns = [](double wanted_ns) {
    const double ns = std::floor(wanted_ns / 3) * 3;
    return GranularitySearch::Point{ns, ns / (ns + 18)};
  };
  GranularitySearch search(turns);
  EXPECT_EQ(search.smallest(0.5).value().ns, 18);
  EXPECT_EQ(search.smallest(0.2).value().ns, 6);
  EXPECT_EQ(search.curve().begin()->first, 6);
  EXPECT_EQ(search.curve().at(18), 0.5);
}

TEST(GranularitySearch, EndsWhereNothingIsReached) {
  GranularitySearch search([](double ns) { return GranularitySearch::Point{ns, 0.4}; });
  EXPECT_FALSE(search.smallest(0.5).has_value());
  EXPECT_EQ(search.curve().rbegin()->first, GranularitySearch::longest);
}

TEST(GranularitySearch, MeasuresNothingTwice) {
  int calls = 0;
  GranularitySearch search([&](double ns) {
    ++calls;
    return GranularitySearch::Point{ns, ns / (ns + 500)};
  });
  EXPECT_EQ(search.smallest(0.75)->ns, search.smallest(0.75)->ns);
  (void)search.smallest(0.5);
  EXPECT_EQ(static_cast<std::size_t>(calls), search.curve().size());
}

}  // namespace
}  // namespace pto2::bench
