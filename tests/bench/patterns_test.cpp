#include "bench/peers/patterns.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <stdexcept>
#include <vector>

namespace pto2::bench {
namespace {

std::vector<uint32_t> before(Pattern pattern, uint32_t task) {
  const Predecessors found = predecessors(pattern, task);
  return {found.begin(), found.end()};
}

std::size_t edges(Pattern pattern, uint32_t tasks) {
  std::size_t sum = 0;
  for (uint32_t task = 0; task < tasks; ++task) sum += before(pattern, task).size();
  return sum;
}

using Tasks = std::vector<uint32_t>;

/// What lets every runtime submit tasks by number, and use buffers again.
TEST(Patterns, PredecessorsComeBeforeOnceAndNotLongBefore) {
  for (const Pattern pattern : patterns) {
    for (uint32_t task = 0; task < 3 * tree_tasks; ++task) {
      const Tasks found = before(pattern, task);
      EXPECT_EQ(std::set(found.begin(), found.end()).size(), found.size()) << name_of(pattern);
      for (const uint32_t other : found) {
        EXPECT_LT(other, task) << name_of(pattern);
        EXPECT_LE(task - other, furthest) << name_of(pattern);
      }
    }
  }
}

TEST(Patterns, HaveTheirNumberOfEdges) {
  EXPECT_EQ(edges(Pattern::independent, 1000), 0U);
  EXPECT_EQ(edges(Pattern::chain, 1000), 999U);
  EXPECT_EQ(edges(Pattern::stencil, 10 * row_tasks), 9 * row_tasks * 3);
  EXPECT_EQ(edges(Pattern::paged_attention, 10 * 13), 10 * 15U);
  EXPECT_EQ(edges(Pattern::fft, 7 * row_tasks), 6 * row_tasks * 2);
  EXPECT_EQ(edges(Pattern::tree, 2 * tree_tasks), 2 * (tree_tasks - 1));
}

TEST(Patterns, AStencilWrapsAround) {
  EXPECT_EQ(before(Pattern::stencil, row_tasks), (Tasks{63, 0, 1}));
  EXPECT_EQ(before(Pattern::stencil, 3 * row_tasks - 1), (Tasks{126, 127, 64}));
}

TEST(Patterns, AHubBeginsItsThreeBlocks) {
  EXPECT_EQ(before(Pattern::paged_attention, 13), Tasks{});
  EXPECT_EQ(before(Pattern::paged_attention, 14), Tasks{});
  EXPECT_EQ(before(Pattern::paged_attention, 15), Tasks{14});
  EXPECT_EQ(before(Pattern::paged_attention, 16), Tasks{15});
  EXPECT_EQ(before(Pattern::paged_attention, 17), (Tasks{16, 15, 13}));
  EXPECT_EQ(before(Pattern::paged_attention, 21), (Tasks{20, 19, 17}));
}

/// After the six rows of a transform each task depends on all inputs of it.
TEST(Patterns, AnFftReachesEveryInput) {
  for (uint32_t point = 0; point < row_tasks; ++point) {
    std::set<uint32_t> reached{6 * row_tasks + point};
    for (int row = 6; row > 0; --row) {
      std::set<uint32_t> row_before;
      for (const uint32_t task : reached) {
        for (const uint32_t other : before(Pattern::fft, task)) row_before.insert(other);
      }
      reached = row_before;
    }
    EXPECT_EQ(reached.size(), row_tasks) << point;
  }
}

/// All but the root are read once, and the last of each tree is its root.
TEST(Patterns, ATreeReducesEveryInputOnce) {
  std::vector<int> readers(2 * tree_tasks);
  uint32_t inputs = 0;
  for (uint32_t task = 0; task < 2 * tree_tasks; ++task) {
    for (const uint32_t other : before(Pattern::tree, task)) ++readers[other];
    if (task < tree_tasks && inputs_below(task) == 1) ++inputs;
  }
  for (uint32_t task = 0; task < 2 * tree_tasks; ++task) {
    EXPECT_EQ(readers[task], task % tree_tasks == tree_tasks - 1 ? 0 : 1) << task;
  }
  EXPECT_EQ(inputs, 512U);
  EXPECT_EQ(inputs_below(tree_tasks - 1), 512U);
  EXPECT_EQ(before(Pattern::tree, 6), (Tasks{2, 5}));
}

TEST(Patterns, RandomIsTheSameEachTimeAndReadsUpToThree) {
  std::vector<int> counts(4);
  for (uint32_t task = 100; task < 10'100; ++task) {
    const Tasks found = before(Pattern::random, task);
    EXPECT_EQ(found, before(Pattern::random, task));
    ++counts.at(found.size());
    for (const uint32_t other : found) EXPECT_LE(task - other, 100U);
  }
  for (const int count : counts) EXPECT_GT(count, 2'000);
}

TEST(Patterns, HaveNames) {
  for (const Pattern pattern : patterns) EXPECT_EQ(pattern_of(name_of(pattern)), pattern);
  EXPECT_THAT([] { (void)pattern_of("nosuch"); }, testing::Throws<std::invalid_argument>());
}

}  // namespace
}  // namespace pto2::bench
