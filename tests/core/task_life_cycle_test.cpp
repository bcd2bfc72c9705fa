#include "core/task_life_cycle.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "core/fan_out_lock.hpp"
#include "core/task_word.hpp"
#include "tests/core/policy.hpp"

namespace pto2 {
namespace {

template <class Slot>
struct RingArrays {
  static constexpr uint32_t window = 4;
  static constexpr uint32_t capacity = 5;
  std::vector<Slot> slots = std::vector<Slot>(window);
  std::vector<DependencyNode<TestPolicy>> nodes =
      std::vector<DependencyNode<TestPolicy>>(capacity + 1);
  Watermark<TestPolicy> watermark;

  LifeCycleRing<TestPolicy, Slot> spans() { return {slots, nodes, &watermark}; }
};

/// Two rings, one thread. Nodes are given out by the tests.
template <class Slot>
class TaskLifeCycleTest : public testing::Test {
 protected:
  using Life = TaskLifeCycle<TestPolicy, Slot>;

  /// What the completion of a task did: tasks made ready, tasks consumed (itself first).
  struct Outcome {
    std::vector<uint32_t> ready;
    std::vector<TaskId> consumed;
    bool operator==(const Outcome&) const = default;
  };
  Outcome complete(TaskId id) {
    Outcome outcome;
    std::array<TaskId, 8> scratch;
    typename Life::Completion completion(life, life.slot_id(id), scratch);
    if (completion.consumed()) outcome.consumed.push_back(id);
    completion.notify_consumers([&](SlotId slot) { outcome.ready.push_back(slot.value); });
    completion.drop_producers([&](TaskId task) { outcome.consumed.push_back(task); });
    return outcome;
  }

  /// What is reclaimed after `consumed` was.
  std::vector<TaskId> advance(TaskId consumed) {
    std::vector<TaskId> passed;
    const Advance result = life.advance(consumed, [&](TaskId id) { passed.push_back(id); });
    EXPECT_EQ(result, passed.empty() ? Advance::not_next : Advance::advanced);
    return passed;
  }

  std::array<RingArrays<Slot>, 2> rings;
  std::array<LifeCycleRing<TestPolicy, Slot>, 2> spans{rings[0].spans(), rings[1].spans()};
  Life life{spans};
  uint64_t retries = 0;
};

using SlotTypes = testing::Types<TaskSlot<TestPolicy, TaskWord>, TaskSlot<TestPolicy, FanOutLock>>;
TYPED_TEST_SUITE(TaskLifeCycleTest, SlotTypes);

TYPED_TEST(TaskLifeCycleTest, ATaskAlone) {
  const TaskId id = make_id(1, 0);
  EXPECT_TRUE(this->life.invariant_holds());
  this->life.open(this->life.slot_of(id), id, 1, 0);
  EXPECT_TRUE(this->life.release_hold(this->life.slot_of(id), 0));
  EXPECT_FALSE(this->life.drop_scope(this->life.slot_of(id)));
  const auto outcome = this->complete(id);
  EXPECT_EQ(outcome.ready.size(), 0u);
  EXPECT_EQ(outcome.consumed, std::vector{id});
  EXPECT_FALSE(this->life.invariant_holds()) << "the watermark was not advanced";
  EXPECT_EQ(this->advance(id), std::vector{id});
  EXPECT_TRUE(this->advance(id).empty());
  EXPECT_TRUE(this->life.invariant_holds());
}

TYPED_TEST(TaskLifeCycleTest, APairAcrossRings) {
  const TaskId producer = make_id(0, 0);
  const TaskId consumer = make_id(1, 0);
  this->life.open(this->life.slot_of(producer), producer, 1, 0);
  EXPECT_TRUE(this->life.release_hold(this->life.slot_of(producer), 0));
  this->life.open(this->life.slot_of(consumer), consumer, 1, 1);
  auto edges = this->life.edges(this->life.slot_id(consumer), 1);
  EXPECT_EQ(edges.claim(producer, this->retries), Claim::linked);
  EXPECT_FALSE(this->life.release_hold(this->life.slot_of(consumer), 0));
  auto outcome = this->complete(producer);
  EXPECT_EQ(outcome.ready, std::vector{this->life.slot_id(consumer).value});
  EXPECT_TRUE(outcome.consumed.empty());
  EXPECT_FALSE(this->life.drop_scope(this->life.slot_of(producer)));
  EXPECT_FALSE(this->life.drop_scope(this->life.slot_of(consumer)));
  outcome = this->complete(consumer);
  EXPECT_EQ(outcome.consumed, (std::vector{consumer, producer}));
  EXPECT_EQ(this->advance(consumer), std::vector{consumer});
  EXPECT_EQ(this->advance(producer), std::vector{producer});
  EXPECT_TRUE(this->life.invariant_holds());
}

TYPED_TEST(TaskLifeCycleTest, EarlyAndAbsentProducers) {
  const TaskId gone = make_id(0, 0);
  const TaskId done = make_id(0, 1);
  const TaskId open = make_id(0, 2);
  const TaskId consumer = make_id(1, 0);
  for (const TaskId id : {gone, done, open}) {
    this->life.open(this->life.slot_of(id), id, 1, 0);
    EXPECT_TRUE(this->life.release_hold(this->life.slot_of(id), 0));
  }
  EXPECT_FALSE(this->life.drop_scope(this->life.slot_of(gone)));
  (void)this->complete(gone);
  (void)this->complete(done);
  this->life.open(this->life.slot_of(consumer), consumer, 4,
                  3);  // nodes 4, 5 and, around the end, 1
  auto edges = this->life.edges(this->life.slot_id(consumer), 4);
  EXPECT_EQ(edges.claim(gone, this->retries), Claim::none);
  EXPECT_EQ(edges.claim(done, this->retries), Claim::early);
  EXPECT_EQ(edges.claim(open, this->retries), Claim::linked);
  EXPECT_FALSE(this->life.release_hold(this->life.slot_of(consumer), 2));
  EXPECT_EQ(this->complete(open).ready.size(), 1u);
  EXPECT_FALSE(this->life.drop_scope(this->life.slot_of(done))) << "the early consumer holds it";
  EXPECT_FALSE(this->life.drop_scope(this->life.slot_of(open)));
  EXPECT_EQ(this->complete(consumer).consumed, (std::vector{done, open}));
  EXPECT_TRUE(this->life.drop_scope(this->life.slot_of(consumer)));
  EXPECT_TRUE(this->advance(done).empty());
  EXPECT_EQ(this->advance(gone), (std::vector{gone, done, open}));
  EXPECT_EQ(this->advance(consumer), std::vector{consumer});
  EXPECT_TRUE(this->life.invariant_holds());
}

TYPED_TEST(TaskLifeCycleTest, HeldOwnersHaveANodeEachBehindTheProducers) {
  const TaskId owners[] = {make_id(0, 0), make_id(0, 1)};
  const TaskId producer = make_id(0, 2);
  const TaskId holder = make_id(1, 0);
  for (const TaskId id : {owners[0], owners[1], producer}) {
    this->life.open(this->life.slot_of(id), id, 1, 0);
    EXPECT_TRUE(this->life.release_hold(this->life.slot_of(id), 0));
  }
  this->life.open(this->life.slot_of(holder), holder, 5,
                  3);  // nodes 5 and, around the end, 1 and 2
  auto edges = this->life.edges(this->life.slot_id(holder), 5);
  EXPECT_EQ(edges.claim(producer, this->retries), Claim::linked);
  for (const TaskId owner : owners) edges.hold(owner);
  EXPECT_FALSE(this->life.release_hold(this->life.slot_of(holder), 2));
  for (const TaskId id : {owners[0], owners[1], producer}) {
    (void)this->complete(id);
    EXPECT_FALSE(this->life.drop_scope(this->life.slot_of(id))) << "held";
  }
  EXPECT_EQ(this->complete(holder).consumed, (std::vector{producer, owners[0], owners[1]}));
}

/// Entry 0 of ring 0 is nobody's: who were linked through it would not be notified.
TYPED_TEST(TaskLifeCycleTest, BehindTheLastNodeComesTheFirst) {
  const TaskId producers[] = {make_id(0, 0), make_id(0, 1)};
  const TaskId consumer = make_id(0, 2);
  for (const TaskId id : producers) {
    this->life.open(this->life.slot_of(id), id, 1, 0);
    EXPECT_TRUE(this->life.release_hold(this->life.slot_of(id), 0));
  }
  this->life.open(this->life.slot_of(consumer), consumer, 5, 2);  // nodes 5 and 1
  auto edges = this->life.edges(this->life.slot_id(consumer), 5);
  for (const TaskId id : producers) EXPECT_EQ(edges.claim(id, this->retries), Claim::linked);
  EXPECT_FALSE(this->life.release_hold(this->life.slot_of(consumer), 0));
  EXPECT_TRUE(this->complete(producers[0]).ready.empty());
  EXPECT_EQ(this->complete(producers[1]).ready, std::vector{this->life.slot_id(consumer).value});
}

TYPED_TEST(TaskLifeCycleTest, SlotsAreRecycledForManyRounds) {
  for (uint64_t local = 0; local < 100; ++local) {
    const TaskId id = make_id(0, local);
    this->life.open(this->life.slot_of(id), id, 1, 0);
    EXPECT_TRUE(this->life.release_hold(this->life.slot_of(id), 0));
    (void)this->complete(id);
    EXPECT_TRUE(this->life.drop_scope(this->life.slot_of(id)));
    EXPECT_EQ(this->advance(id), std::vector{id});
    ASSERT_TRUE(this->life.invariant_holds());
  }
}

TYPED_TEST(TaskLifeCycleTest, TheOldestTaskHoldsTheWatermark) {
  for (uint64_t local = 0; local < 3; ++local) {
    this->life.open(this->life.slot_of(make_id(0, local)), make_id(0, local), 1, 0);
    EXPECT_TRUE(this->life.release_hold(this->life.slot_of(make_id(0, local)), 0));
  }
  for (uint64_t local = 3; local-- > 0;) {
    (void)this->complete(make_id(0, local));
    EXPECT_TRUE(this->life.drop_scope(this->life.slot_of(make_id(0, local))));
    EXPECT_EQ(this->advance(make_id(0, local)).size(), local == 0 ? 3u : 0u);
  }
}

template <class Slot>
using TaskLifeCycleDeathTest = TaskLifeCycleTest<Slot>;
TYPED_TEST_SUITE(TaskLifeCycleDeathTest, SlotTypes);

TYPED_TEST(TaskLifeCycleDeathTest, ScratchSmallerThanTheTask) {
  const TaskId id = make_id(0, 0);
  this->life.open(this->life.slot_of(id), id, 1, 9);
  EXPECT_DEATH((void)this->complete(id), "LC-I1");
}

TYPED_TEST(TaskLifeCycleDeathTest, NoRings) {
  using Empty = TaskLifeCycle<TestPolicy, TypeParam>;
  EXPECT_DEATH(Empty(std::span<const LifeCycleRing<TestPolicy, TypeParam>>{}), "LC-P1");
}

}  // namespace
}  // namespace pto2
