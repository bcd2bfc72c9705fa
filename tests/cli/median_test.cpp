#include "runtime/cli/median.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "runtime/cli/median_run.hpp"

namespace pto2::cli {
namespace {

using testing::Pair;

std::pair<std::size_t, std::size_t> places(std::vector<uint64_t> values) {
  return median_places(values);
}

TEST(MedianPlaces, AreThoseOfTheMiddleValues) {
  EXPECT_THAT(places({7}), Pair(0, 0));
  EXPECT_THAT(places({9, 1}), Pair(1, 0));
  EXPECT_THAT(places({5, 9, 1}), Pair(0, 0));
  EXPECT_THAT(places({8, 2, 6, 4}), Pair(3, 2));
  EXPECT_THAT(places({50, 10, 20, 40, 30}), Pair(4, 4));
}

/// Whatever order they come in, and however many are as fast as others.
TEST(MedianRun, IsTheMedianOfAll) {
  std::mt19937_64 random(7);
  for (uint64_t wanted = 1; wanted <= 12; ++wanted) {
    for (int round = 0; round < 200; ++round) {
      MedianRun median(wanted);
      std::vector<uint64_t> walls;
      for (uint64_t i = 0; i < wanted; ++i) {
        walls.push_back(1 + random() % 8);
        RunResult result;
        result.wall_ns = walls.back();
        result.tasks = i;
        result.open_scopes = i + 100;
        median.add(result);
      }
      const auto [lower, upper] = median_places(walls);
      RunResult last;
      last.error.hint = "stays";
      median.put_into(last);
      EXPECT_EQ(last.tasks, lower);
      EXPECT_EQ(last.open_scopes, lower + 100);
      EXPECT_EQ(last.wall_ns, walls[lower]);
      EXPECT_EQ(last.error.hint, "stays");
      EXPECT_DOUBLE_EQ(median.seconds() * 2e9, static_cast<double>(walls[lower] + walls[upper]));
    }
  }
}

}  // namespace
}  // namespace pto2::cli
