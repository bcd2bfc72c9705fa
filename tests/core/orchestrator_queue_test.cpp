#include "core/orchestrator_queue.hpp"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "tests/core/policy.hpp"

namespace pto2 {
namespace {

using OneQueue = OrchestratorQueue<TestPolicy>;

class OrchestratorQueueTest : public testing::Test {
 protected:
  /// The number of the task popped; -1 if there is none.
  int pop() {
    SlotId slot = make_slot(0, 99);
    if (queue.try_pop(slot)) return static_cast<int>(index_of(slot));
    EXPECT_EQ(slot, make_slot(0, 99)) << "untouched";
    return -1;
  }
  bool push(uint32_t task) { return queue.try_push(make_slot(0, task)); }

  std::array<OneQueue::Entry, 4> entries{};
  OneQueue queue{entries};
};

TEST_F(OrchestratorQueueTest, KeepsOrderAndTellsFullFromEmpty) {
  EXPECT_EQ(pop(), -1);
  for (uint32_t round = 0; round < 9; ++round) {
    // One more is in it after each round, and the ring is gone over from another entry on.
    for (uint32_t n = 0; n < 4; ++n) EXPECT_TRUE(push(10 * round + n));
    EXPECT_FALSE(push(98));
    EXPECT_TRUE(queue.invariant_holds());
    for (uint32_t n = 0; n < 4; ++n) EXPECT_EQ(pop(), 10 * round + n);
    EXPECT_EQ(pop(), -1);
    EXPECT_TRUE(push(round));
    EXPECT_EQ(pop(), round);
  }
  EXPECT_EQ(queue.pushed(), 45U);
}

TEST_F(OrchestratorQueueTest, OnePopMakesRoomForOne) {
  for (uint32_t n = 0; n < 4; ++n) EXPECT_TRUE(push(n));
  for (uint32_t n = 4; n < 12; ++n) {
    EXPECT_FALSE(push(n));
    EXPECT_EQ(pop(), n - 4);
    EXPECT_TRUE(push(n));
  }
}

TEST_F(OrchestratorQueueTest, KeepsEachBitOfASlot) {
  for (const uint32_t ring : {0U, 1U, 2U, 3U}) {
    for (const uint32_t index : {0U, 1U, max_ring_entries / 2, max_ring_entries - 1}) {
      const SlotId slot = make_slot(RingId(ring), index);
      EXPECT_TRUE(queue.try_push(slot));
      SlotId popped;
      ASSERT_TRUE(queue.try_pop(popped));
      EXPECT_EQ(popped, slot);
    }
  }
}

TEST(OrchestratorQueue, OfOneEntry) {
  std::array<OneQueue::Entry, 1> entries{};
  OneQueue queue{entries};
  for (uint32_t n = 0; n < 5; ++n) {
    SlotId slot;
    EXPECT_FALSE(queue.try_pop(slot));
    EXPECT_TRUE(queue.try_push(make_slot(0, n)));
    EXPECT_FALSE(queue.try_push(make_slot(0, 99)));
    ASSERT_TRUE(queue.try_pop(slot));
    EXPECT_EQ(index_of(slot), n);
  }
}

TEST(OrchestratorQueue, NumbersEntriesOnFromTheFirst) {
  for (const uint64_t first : {uint64_t{0}, (uint64_t{1} << 32) - 2, (uint64_t{1} << 42) - 2}) {
    std::array<OneQueue::Entry, 4> entries{};
    OneQueue queue(entries, first);
    for (uint64_t n = first; n < first + 4; ++n) {
      ASSERT_TRUE(queue.try_push(make_slot(3, 7)));
      const uint64_t number = (n + 1) << entry_bits >> entry_bits;
      EXPECT_EQ(entries[n % 4].load(std::memory_order_relaxed) >> entry_bits, number);
    }
  }
}

/// Where a number is one more than 32 bits hold, and where the numbers of entries begin again.
TEST(OrchestratorQueue, CountsFurtherThanItsNumbersDo) {
  for (const uint64_t first : {(uint64_t{1} << 32) - 2, (uint64_t{1} << 42) - 2}) {
    std::array<OneQueue::Entry, 1> entries{};
    OneQueue queue(entries, first);
    for (uint32_t n = 0; n < 4; ++n) {
      SlotId slot;
      EXPECT_TRUE(queue.try_push(make_slot(3, n)));
      EXPECT_FALSE(queue.try_push(make_slot(3, 99)));
      ASSERT_TRUE(queue.try_pop(slot)) << first << " and " << n;
      EXPECT_EQ(slot, make_slot(3, n));
      EXPECT_FALSE(queue.try_pop(slot)) << first << " and " << n;
    }
    EXPECT_EQ(queue.pushed(), first + 4);
  }
}

TEST(OrchestratorQueue, OfNoEntriesIsWhole) {
  const OneQueue queue{{}};
  EXPECT_TRUE(queue.invariant_holds());
  EXPECT_EQ(queue.pushed(), 0U);
}

TEST(OrchestratorQueueDeathTest, RefusesARingOfAnotherSize) {
  std::vector<OneQueue::Entry> three(3);
  EXPECT_DEATH(OneQueue{three}, "OQ-P1");
  std::vector<OneQueue::Entry> many(std::size_t{2} * max_ring_entries);
  EXPECT_DEATH(OneQueue{many}, "OQ-P1");
}

}  // namespace
}  // namespace pto2
