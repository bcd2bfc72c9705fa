#include "runtime/cli/median.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace pto2::cli
