#include "runtime/orchestrator/pipe_table.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <vector>

namespace pto2 {
namespace {

PipeRequest request(ClusterId cluster, uint32_t group, int32_t tag) {
  return {.cluster = cluster,
          .group = group,
          .tag = tag,
          .sized = true,
          .capacity = 1,
          .slot_bytes = 64,
          .counted = false};
}

/// To the TensorMap: who names it writes all of it.
TEST(PipeTable, APipeIsAByteOfItsOwn) {
  PipeTable table;
  PipeProblem problem;
  const BufferWrites& one = *table.use(request(ClusterId(0), 0, 1), problem).tensor->writes;
  const BufferWrites& other = *table.use(request(ClusterId(0), 0, 2), problem).tensor->writes;
  EXPECT_NE(one.key, other.key);
  EXPECT_EQ(one.bytes, 1U);
  EXPECT_EQ(one.owner, no_task);
}

TEST(PipeTable, ATagNamesOnePipeOfItsGroup) {
  PipeTable table;
  PipeProblem problem;
  std::vector<Pipe*> pipes;
  for (const int32_t tag : {7, -7, 0}) {
    for (const uint32_t cluster : {0U, 1U}) {
      pipes.push_back(table.use(request(ClusterId(cluster), cluster, tag), problem).pipe);
      ASSERT_NE(pipes.back(), nullptr);
    }
  }
  std::size_t i = 0;
  for (const int32_t tag : {7, -7, 0}) {
    for (const uint32_t cluster : {0U, 1U}) {
      EXPECT_EQ(table.use(request(ClusterId(cluster), cluster, tag), problem).pipe, pipes[i++]);
      EXPECT_EQ(pipes[i - 1]->tag, tag);
      EXPECT_EQ(pipes[i - 1]->group, cluster);
    }
  }
}

TEST(PipeTable, TellsWhatIsLeftInTheOrderInWhichPipesWereMade) {
  PipeTable table;
  PipeProblem problem;
  for (const int32_t tag : {9, 3, 5}) ++table.use(request(0, 4, tag), problem).pipe->control.pushed;
  const std::vector<PipeLeftover> left = table.end_group_on(0);
  ASSERT_EQ(left.size(), 3U);
  EXPECT_EQ(left[0].tag, 9);
  EXPECT_EQ(left[1].tag, 3);
  EXPECT_EQ(left[2].tag, 5);
  EXPECT_EQ(table.use(request(0, 5, 3), problem).pipe->group, 5U) << "a new one";
}

/// The smallest that is enough.
TEST(PipeTable, UsesTheMemoryOfFormerGroupsAgain) {
  PipeTable table;
  PipeProblem problem;
  const auto slots_of = [&](uint32_t group, int32_t tag, uint32_t bytes) {
    PipeRequest sized = request(0, group, tag);
    sized.slot_bytes = bytes;
    return table.use(sized, problem).pipe->control.slots;
  };
  const uint64_t small = slots_of(0, 1, 64);
  const uint64_t large = slots_of(0, 2, 4096);
  const uint64_t middle = slots_of(0, 3, 1024);
  table.end_group_on(0);
  EXPECT_EQ(slots_of(1, 1, 1000), middle);
  EXPECT_EQ(slots_of(1, 2, 1000), large);
  const uint64_t another = slots_of(1, 3, 1000);
  EXPECT_TRUE(another != small && another != middle && another != large);
  EXPECT_EQ(table.kept(), 0U) << "the small one has made room";
  table.end_group_on(0);
  EXPECT_EQ(slots_of(2, 1, 4096), large) << "however little was used of it";
  EXPECT_EQ(slots_of(2, 2, 1), middle);
}

TEST(PipeTable, KeepsNoMoreOfPipesThatGrowThanTheLast) {
  PipeTable table;
  PipeProblem problem;
  for (uint32_t group = 1; group <= 20; ++group) {
    PipeRequest sized = request(0, group, 1);
    sized.slot_bytes = group * 4096;
    ASSERT_NE(table.use(sized, problem).pipe, nullptr);
    EXPECT_EQ(table.kept(), 0U);
    table.end_group_on(0);
    EXPECT_EQ(table.kept(), 1U);
  }
}

/// To look through all pipes of a group, or all memory that is kept, takes minutes for so many;
/// this takes a tenth of a second.
TEST(PipeTable, IsAsFastForManyPipesAsForFew) {
  constexpr int32_t pipes = 200'000;
  const auto begin = std::chrono::steady_clock::now();
  PipeTable table;
  PipeProblem problem;
  for (uint32_t group = 0; group < 2; ++group) {
    for (int round = 0; round < 2; ++round) {
      for (int32_t tag = 0; tag < pipes; ++tag) {
        ASSERT_NE(table.use(request(0, group, tag), problem).pipe, nullptr);
      }
    }
    table.end_group_on(0);
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30));
}

}  // namespace
}  // namespace pto2
