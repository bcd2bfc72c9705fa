#include "core/ready_queues.hpp"

#include <gtest/gtest.h>

#include "tests/core/policy.hpp"
#include "tests/support/popped.hpp"

namespace pto2 {
namespace {

using Queue = TestPolicy::bounded_queue<SlotId>;
using OneEntry = OrchestratorQueue<TestPolicy>::Entry;

class ReadyQueuesTest : public testing::Test {
 protected:
  static SlotId task(uint32_t n) { return make_slot(0, n); }
  /// Number of the task popped for `shard`, and whether it was stolen; -1 if there is none.
  std::pair<int, bool> pop(uint32_t shard) {
    ReadyTask task;
    if (!queues.pop(shard, task)) return {-1, false};
    return {static_cast<int>(index_of(task.slot)), task.stolen};
  }

  Queue a{2}, b{2};
  std::array<Queue*, 2> shards{&a, &b};
  std::array<OneEntry, 4> entries{};
  OrchestratorQueue<TestPolicy> orchestrators{entries};
  ReadyQueues<TestPolicy> queues{shards, orchestrators};
};

using Popped = std::pair<int, bool>;

TEST_F(ReadyQueuesTest, EmptyQueuesGiveNothing) {
  EXPECT_EQ(pop(0), Popped(-1, false));
  EXPECT_EQ(pop(1), Popped(-1, false));
}

TEST_F(ReadyQueuesTest, OwnShardFirstThenTheOrchestratorsThenOthers) {
  EXPECT_TRUE(queues.push(1, task(1)));
  EXPECT_TRUE(queues.push_orchestrators(task(2)));
  EXPECT_TRUE(queues.push(0, task(3)));
  EXPECT_EQ(pop(0), Popped(3, false));
  EXPECT_EQ(pop(0), Popped(2, false));
  EXPECT_EQ(pop(0), Popped(1, true));
  EXPECT_EQ(pop(0), Popped(-1, false));
}

TEST(ReadyQueues, ThievesBeginBehindTheirOwnShard) {
  Queue a{2}, b{2}, c{2};
  std::array<Queue*, 3> shards{&a, &b, &c};
  std::array<OneEntry, 2> entries{};
  OrchestratorQueue<TestPolicy> orchestrators{entries};
  ReadyQueues<TestPolicy> queues{shards, orchestrators};
  for (const auto& [thief, order] : {std::pair<uint32_t, std::array<uint32_t, 3>>{0, {0, 1, 2}},
                                     {1, {1, 2, 0}},
                                     {2, {2, 0, 1}}}) {
    for (uint32_t shard = 0; shard < 3; ++shard) {
      EXPECT_TRUE(shards[shard]->try_push(make_slot(0, shard)));
    }
    for (const uint32_t shard : order) {
      ReadyTask task;
      ASSERT_TRUE(queues.pop(thief, task)) << "by " << thief;
      EXPECT_EQ(index_of(task.slot), shard) << "by " << thief;
      EXPECT_EQ(task.stolen, shard != thief) << "by " << thief;
    }
    ReadyTask none;
    EXPECT_FALSE(queues.pop(thief, none)) << "by " << thief;
  }
}

TEST_F(ReadyQueuesTest, WhatTheOrchestratorPushesGoesToItsQueueAlone) {
  for (uint32_t n = 0; n < 4; ++n) EXPECT_TRUE(queues.push_orchestrators(task(n))) << n;
  EXPECT_FALSE(queues.push_orchestrators(task(99)));
  EXPECT_EQ(test::popped<SlotId>(a), std::nullopt);
  EXPECT_EQ(test::popped<SlotId>(b), std::nullopt);
  for (int n = 0; n < 4; ++n) EXPECT_EQ(pop(1), Popped(n, false));
}

TEST_F(ReadyQueuesTest, AFullShardHandsOnAndAllFullRefuse) {
  for (uint32_t n = 0; n < 4; ++n) EXPECT_TRUE(queues.push(1, task(n))) << n;
  EXPECT_FALSE(queues.push(0, task(99)));
  EXPECT_FALSE(queues.push(1, task(99)));
  EXPECT_EQ(test::popped<SlotId>(orchestrators), std::nullopt) << "nobody else pushes there";
  std::array<int, 4> popped{};
  for (int n = 0; n < 4; ++n) {
    const auto [number, stolen] = pop(1);
    ASSERT_GE(number, 0);
    ++popped[number];
    EXPECT_EQ(stolen, n >= 2) << "what did not fit is in the other one";
  }
  for (const int count : popped) EXPECT_EQ(count, 1);
  EXPECT_EQ(pop(1), Popped(-1, false));
}

TEST_F(ReadyQueuesTest, OneRefusedPushSucceedsAfterAPop) {
  for (uint32_t n = 0; n < 4; ++n) (void)queues.push(0, task(n));
  EXPECT_FALSE(queues.push(0, task(4)));
  EXPECT_EQ(pop(0), Popped(0, false));
  EXPECT_TRUE(queues.push(0, task(4)));
}

TEST_F(ReadyQueuesTest, WhatAPopDoesNotFindIsUntouched) {
  ReadyTask task{make_slot(0, 5), false};
  EXPECT_FALSE(queues.pop(0, task));
  EXPECT_EQ(task.slot, make_slot(0, 5));
}

TEST(ReadyQueues, SaysWhenAShardIsMissingOrThereTwice) {
  Queue first(2);
  Queue second(2);
  const auto whole = [](std::span<Queue* const> shards) {
    OrchestratorQueue<TestPolicy> orchestrators{{}};
    return ReadyQueues<TestPolicy>(shards, orchestrators).invariant_holds();
  };
  EXPECT_TRUE(whole(std::array{&first, &second}));
  EXPECT_FALSE(whole(std::array{&first, &first}));
  EXPECT_FALSE(whole(std::array<Queue*, 2>{nullptr, &second}));
  EXPECT_FALSE(whole({}));
}

using ReadyQueuesDeathTest = ReadyQueuesTest;

TEST_F(ReadyQueuesDeathTest, AShardThatIsNotThere) {
  EXPECT_DEATH((void)queues.push(3, task(1)), "RQ-P1");
  ReadyTask task;
  EXPECT_DEATH((void)queues.pop(3, task), "RQ-P1");
}

}  // namespace
}  // namespace pto2
