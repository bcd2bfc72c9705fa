#include "runtime/tensormap/caller_arrays.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace pto2 {
namespace {

/// The name of the array that they leave; empty: none.
std::string left(const std::vector<CallerArray>& arrays, uint64_t address, uint64_t bytes) {
  const CallerArrays known(arrays);
  const CallerArray* const array = known.left_by(address, bytes);
  return array == nullptr ? "" : array->name;
}

TEST(CallerArrays, EndWithTheirLastByte) {
  const std::vector<CallerArray> arrays{{"b", 2000, 100}, {"a", 1000, 100}};
  EXPECT_EQ(left(arrays, 1000, 100), "");
  EXPECT_EQ(left(arrays, 1000, 101), "a");
  EXPECT_EQ(left(arrays, 1099, 1), "");
  EXPECT_EQ(left(arrays, 1099, 2), "a");
  EXPECT_EQ(left(arrays, 2000, 100), "");
  EXPECT_EQ(left(arrays, 2050, 51), "b");
}

/// It may be memory of the orchestration's own.
TEST(CallerArrays, AreNoneElsewhere) {
  EXPECT_TRUE(CallerArrays().empty());
  EXPECT_FALSE(CallerArrays(std::vector<CallerArray>{{"a", 1000, 100}}).empty());
  const std::vector<CallerArray> arrays{{"a", 1000, 100}, {"b", 2000, 100}};
  EXPECT_EQ(left({}, 1000, 5000), "");
  EXPECT_EQ(left(arrays, 999, 5000), "");
  EXPECT_EQ(left(arrays, 1100, 5000), "");
  EXPECT_EQ(left(arrays, 5000, 5000), "");
}

TEST(CallerArrays, MayOverlap) {
  // The second lies in the first, the third begins in it, the fourth is the third.
  const std::vector<CallerArray> arrays{
      {"whole", 1000, 100}, {"part", 1010, 20}, {"next", 1050, 100}, {"again", 1050, 100}};
  EXPECT_EQ(left(arrays, 1010, 90), "");
  EXPECT_EQ(left(arrays, 1010, 91), "whole");
  EXPECT_EQ(left(arrays, 1049, 51), "");
  EXPECT_EQ(left(arrays, 1049, 52), "whole");
  EXPECT_EQ(left(arrays, 1050, 100), "");
  EXPECT_EQ(left(arrays, 1050, 101), "again");
}

TEST(CallerArrays, AreNotTheirNeighbours) {
  const std::vector<CallerArray> arrays{{"a", 1000, 100}, {"b", 1100, 100}};
  EXPECT_EQ(left(arrays, 1000, 200), "a");
  EXPECT_EQ(left(arrays, 1100, 100), "");
}

TEST(CallerArrays, MayHaveNoBytes) {
  const std::vector<CallerArray> arrays{{"a", 1000, 100}, {"none", 1100, 0}, {"b", 1200, 0}};
  EXPECT_EQ(left(arrays, 1100, 1), "none");
  EXPECT_EQ(left(arrays, 1200, 4), "b");
  EXPECT_EQ(left(arrays, 1201, 4), "");
  EXPECT_EQ(left({{"none", 1000, 0}, {"a", 1000, 100}}, 1000, 100), "");
}

TEST(CallerArrays, AreNoneAtNull) {
  EXPECT_TRUE(CallerArrays(std::vector<CallerArray>{{"null", 0, 100}}).empty());
}

TEST(CallerArrays, MayGoToTheEndOfAllMemory) {
  constexpr uint64_t end = std::numeric_limits<uint64_t>::max();
  EXPECT_EQ(left({{"a", end - 100, 1000}}, end - 10, 10), "");
  EXPECT_EQ(left({{"a", end - 100, 99}}, end - 10, 10), "a");
}

}  // namespace
}  // namespace pto2
