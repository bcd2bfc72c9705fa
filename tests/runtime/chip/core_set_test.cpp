#include "runtime/chip/core_set.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace pto2 {
namespace {

std::vector<uint32_t> members(const CoreSet& set) {
  std::vector<uint32_t> numbers;
  set.for_each([&](CoreId core) { numbers.push_back(core.value); });
  return numbers;
}

/// Limits around the ends of words.
TEST(CoreSet, VisitsEachMemberBelowItsLimit) {
  for (const uint32_t limit : {1U, 63U, 64U, 65U, 66U, 128U, 129U, uint32_t{max_cores}}) {
    CoreSet set(limit);
    EXPECT_TRUE(set.empty());
    std::vector<uint32_t> inserted;
    for (const uint32_t core : {0U, 62U, 63U, 64U, 65U, 127U, 128U, uint32_t{max_cores} - 1}) {
      if (core >= limit) continue;
      set.insert(CoreId(core));
      inserted.push_back(core);
    }
    EXPECT_EQ(members(set), inserted) << limit;
    EXPECT_EQ(set.size(), inserted.size());
  }
}

TEST(CoreSet, MembersMove) {
  CoreSet from(129);
  CoreSet to(129);
  for (const uint32_t core : {5U, 70U, 128U}) from.insert(CoreId(core));
  EXPECT_EQ(from.move_lowest(to), CoreId(5));
  EXPECT_EQ(from.move_lowest(to), CoreId(70));
  EXPECT_FALSE(from.contains(CoreId(70)));
  EXPECT_TRUE(to.contains(CoreId(70)));
  to.move(CoreId(5), from);
  EXPECT_EQ(members(from), (std::vector<uint32_t>{5, 128}));
  EXPECT_EQ(members(to), (std::vector<uint32_t>{70}));
  EXPECT_EQ(from.size(), 2U);
  EXPECT_EQ(to.size(), 1U);
}

TEST(CoreSet, WhoIsVisitedMayMoveAway) {
  CoreSet from(129);
  CoreSet to(129);
  for (const uint32_t core : {1U, 2U, 64U, 128U}) from.insert(CoreId(core));
  std::vector<uint32_t> visited;
  from.for_each([&](CoreId core) {
    visited.push_back(core.value);
    from.move(core, to);
  });
  EXPECT_EQ(visited, (std::vector<uint32_t>{1, 2, 64, 128}));
  EXPECT_TRUE(from.empty());
  EXPECT_EQ(members(to), visited);
}

}  // namespace
}  // namespace pto2
