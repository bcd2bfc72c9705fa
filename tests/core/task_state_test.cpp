/// The fan-out concept: both implementations, task_word.hpp and fan_out_lock.hpp, pass the same.
#include <gtest/gtest.h>

#include <type_traits>

#include "core/fan_out_lock.hpp"
#include "core/task_word.hpp"
#include "tests/core/policy.hpp"

namespace pto2 {
namespace {

using Node = DependencyNode<TestPolicy>;

static_assert(FanOut<TaskWord<TestPolicy>, TestPolicy>);
static_assert(FanOut<FanOutLock<TestPolicy>, TestPolicy>);

template <class F>
class FanOutTest : public testing::Test {
 protected:
  Claim claim(uint32_t node) { return slot.claim(id, make_node(0, node), nodes[node], retries); }

  F slot;
  std::array<Node, 8> nodes;
  uint64_t retries = 0;
  TaskId id = make_id(1, 6);
};

template <class F>
using FanOutDeathTest = FanOutTest<F>;

using Implementations = testing::Types<TaskWord<TestPolicy>, FanOutLock<TestPolicy>>;
TYPED_TEST_SUITE(FanOutTest, Implementations);
TYPED_TEST_SUITE(FanOutDeathTest, Implementations);

TYPED_TEST(FanOutTest, AFreshSlotHoldsNoConsumedTask) {
  EXPECT_FALSE(this->slot.is_consumed(make_id(0, 0)));
  EXPECT_FALSE(this->slot.is_consumed(make_id(3, 5)));
}

TYPED_TEST(FanOutTest, ATaskOpensWithItsOwnAndItsScopesReference) {
  this->slot.open(this->id);
  EXPECT_EQ(this->slot.phase(this->id), Phase::initial);
  EXPECT_EQ(this->slot.references(this->id), 2u);
  EXPECT_FALSE(this->slot.is_consumed(this->id));
}

TYPED_TEST(FanOutTest, CompletionThenScopeConsumes) {
  this->slot.open(this->id);
  const Closed closed = this->slot.close();
  EXPECT_EQ(closed.head, nil);
  EXPECT_FALSE(closed.consumed);
  EXPECT_EQ(this->slot.phase(this->id), Phase::completed);
  EXPECT_EQ(this->slot.references(this->id), 1u);
  EXPECT_TRUE(this->slot.drop());
  EXPECT_TRUE(this->slot.is_consumed(this->id));
  EXPECT_EQ(this->slot.phase(this->id), Phase::consumed);
}

TYPED_TEST(FanOutTest, ScopeThenCompletionConsumes) {
  this->slot.open(this->id);
  EXPECT_FALSE(this->slot.drop());
  EXPECT_EQ(this->slot.phase(this->id), Phase::initial);
  EXPECT_TRUE(this->slot.close().consumed);
  EXPECT_TRUE(this->slot.is_consumed(this->id));
}

TYPED_TEST(FanOutTest, IsWholeBetweenAllVerbs) {
  EXPECT_TRUE(this->slot.invariant_holds()) << "fresh";
  this->slot.open(this->id);
  EXPECT_TRUE(this->slot.invariant_holds()) << "open";
  EXPECT_EQ(this->claim(1), Claim::linked);
  EXPECT_TRUE(this->slot.invariant_holds()) << "claimed";
  (void)this->slot.close();
  EXPECT_TRUE(this->slot.invariant_holds()) << "closed";
  EXPECT_FALSE(this->slot.drop());
  EXPECT_TRUE(this->slot.invariant_holds()) << "dropped";
  EXPECT_TRUE(this->slot.drop());
  EXPECT_TRUE(this->slot.invariant_holds()) << "consumed";
}

TYPED_TEST(FanOutTest, LinkedConsumersAreOnTheListNewestFirst) {
  this->slot.open(this->id);
  for (uint32_t n = 1; n <= 3; ++n) EXPECT_EQ(this->claim(n), Claim::linked);
  EXPECT_EQ(this->slot.references(this->id), 5u);
  NodeId place = this->slot.close().head;
  for (uint32_t n = 3; n >= 1; --n) {
    ASSERT_EQ(place, make_node(0, n));
    place = this->nodes[n].next.read();
  }
  EXPECT_EQ(place, nil);
  EXPECT_EQ(this->retries, 0u);
}

TYPED_TEST(FanOutTest, NodesOfAllRingsComeBack) {
  this->slot.open(this->id);
  const NodeId last = make_node(3, max_ring_entries - 1);
  EXPECT_EQ(this->slot.claim(this->id, last, this->nodes[1], this->retries), Claim::linked);
  EXPECT_EQ(this->slot.close().head, last);
}

TYPED_TEST(FanOutTest, AnEarlyConsumerHoldsTheTaskAndIsNotOnTheList) {
  this->slot.open(this->id);
  EXPECT_EQ(this->claim(1), Claim::linked);
  EXPECT_EQ(this->slot.close().head, make_node(0, 1));
  EXPECT_EQ(this->claim(2), Claim::early);
  EXPECT_FALSE(this->slot.drop());  // consumer 1
  EXPECT_FALSE(this->slot.drop());  // the scope
  EXPECT_FALSE(this->slot.is_consumed(this->id));
  EXPECT_TRUE(this->slot.drop());  // consumer 2
  EXPECT_TRUE(this->slot.is_consumed(this->id));
}

TYPED_TEST(FanOutTest, AHolderKeepsTheTaskAndIsNotOnTheList) {
  this->slot.open(this->id);
  this->slot.hold(this->id);
  EXPECT_EQ(this->slot.references(this->id), 3u);
  EXPECT_EQ(this->slot.close().head, nil);
  this->slot.hold(this->id);
  EXPECT_FALSE(this->slot.drop());  // a holder
  EXPECT_FALSE(this->slot.drop());  // the scope
  EXPECT_FALSE(this->slot.is_consumed(this->id));
  EXPECT_TRUE(this->slot.drop());  // the other holder
  EXPECT_TRUE(this->slot.is_consumed(this->id));
}

TYPED_TEST(FanOutTest, AConsumedTaskIsNotClaimed) {
  this->slot.open(this->id);
  (void)this->slot.close();
  EXPECT_TRUE(this->slot.drop());
  EXPECT_EQ(this->claim(1), Claim::none);
  EXPECT_TRUE(this->slot.is_consumed(this->id));
  EXPECT_EQ(this->slot.references(this->id), 0u);
}

TYPED_TEST(FanOutTest, TheFormerTaskOfASlotIsConsumedAndThePresentOneIsNot) {
  constexpr uint64_t window = 4;
  for (uint64_t local = 2; local < 40; local += window) {
    const TaskId present = make_id(0, local);
    this->slot.open(present);
    EXPECT_FALSE(this->slot.is_consumed(present));
    if (local >= window) {
      const TaskId former = make_id(0, local - window);
      EXPECT_FALSE(this->slot.is_consumed(former)) << "the slot holds it no more";
      EXPECT_EQ(this->slot.phase(former), Phase::consumed);
      EXPECT_EQ(this->slot.references(former), 0u);
    }
    (void)this->slot.close();
    EXPECT_TRUE(this->slot.drop());
    EXPECT_TRUE(this->slot.is_consumed(present));
  }
}

/// Ids of a slot differ although the word keeps only their low bits.
TYPED_TEST(FanOutTest, IdsOfTheLargestWindowAreToldApart) {
  const TaskId first = make_id(0, 7);
  const TaskId next = make_id(0, 7 + uint64_t{max_ring_entries});
  this->slot.open(first);
  (void)this->slot.close();
  EXPECT_TRUE(this->slot.drop());
  EXPECT_TRUE(this->slot.is_consumed(first));
  EXPECT_FALSE(this->slot.is_consumed(next));
}

TYPED_TEST(FanOutDeathTest, ClosingTwice) {
  this->slot.open(this->id);
  (void)this->slot.close();
  EXPECT_DEATH((void)this->slot.close(), "TS-I1");
}

TYPED_TEST(FanOutDeathTest, DroppingMoreThanWasHeld) {
  this->slot.open(this->id);
  (void)this->slot.close();
  (void)this->slot.drop();
  EXPECT_DEATH((void)this->slot.drop(), "TW-I1|TS-I2");
}

TYPED_TEST(FanOutDeathTest, ClaimingATaskThatTheSlotDoesNotHold) {
  this->slot.open(make_id(1, 2));
  EXPECT_DEATH((void)this->claim(1), "TW-I4|TS-I4");
}

TYPED_TEST(FanOutDeathTest, HoldingATaskThatIsConsumedOrNotThere) {
  this->slot.open(this->id);
  EXPECT_DEATH(this->slot.hold(make_id(1, local_of(this->id) + 4)), "TW-I4|TS-I4");
  (void)this->slot.close();
  (void)this->slot.drop();
  EXPECT_DEATH(this->slot.hold(this->id), "TS-I4");
}

TYPED_TEST(FanOutDeathTest, MoreReferencesThanCanBeCounted) {
  this->slot.open(this->id);
  (void)this->slot.close();
  for (uint32_t n = 1; n < max_references; ++n) ASSERT_EQ(this->claim(1), Claim::early);
  EXPECT_EQ(this->slot.references(this->id), max_references);
  EXPECT_DEATH((void)this->claim(1), "TW-I1|TS-I2");
  EXPECT_DEATH(this->slot.hold(this->id), "TW-I1|TS-I2");
}

TYPED_TEST(FanOutDeathTest, MoreConsumersThanCanBeCounted) {
  this->slot.open(this->id);
  for (uint32_t n = 2; n < max_references; ++n) ASSERT_EQ(this->claim(1), Claim::linked);
  EXPECT_EQ(this->slot.references(this->id), max_references);
  EXPECT_DEATH((void)this->claim(1), "TW-I1|TS-I2");
}

}  // namespace
}  // namespace pto2
