#include "core/admission.hpp"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "core/fan_out_lock.hpp"
#include "core/task_word.hpp"
#include "tests/core/policy.hpp"

namespace pto2 {
namespace {

constexpr uint64_t unit = packed_output_alignment;

template <class Slot>
struct RingArrays {
  static constexpr uint32_t window = 4;
  static constexpr uint32_t capacity = 3;
  static constexpr uint64_t heap_bytes = 4 * unit;
  std::vector<Slot> slots = std::vector<Slot>(window);
  std::vector<DependencyNode<TestPolicy>> nodes =
      std::vector<DependencyNode<TestPolicy>>(capacity + 1);
  std::vector<uint64_t> ends = std::vector<uint64_t>(window);
  std::vector<uint64_t> marks = std::vector<uint64_t>(window);

  RingMemory<TestPolicy, Slot> memory() { return {slots, nodes, ends, marks, heap_bytes}; }
};

/// Two rings, one thread.
template <class Slot>
class AdmissionTest : public testing::Test {
 protected:
  using Tasks = std::vector<TaskId>;

  /// Submits a task that lacks nothing.
  auto submit(RingId ring, uint64_t heap_bytes = 0, const Tasks& producers = {},
              const Tasks& owners = {}) {
    const Demand demand{ring, heap_bytes, producers, owners};
    EXPECT_FALSE(admission.lacking(demand));
    claims.clear();
    return admission.admit(demand, retries,
                           [&](uint32_t i, Claim claim) { claims.emplace_back(i, claim); });
  }

  /// Completes a task; returns those that it made ready.
  std::vector<SlotId> complete(TaskId id) {
    std::array<TaskId, 8> scratch;
    std::vector<SlotId> ready;
    auto& life = admission.life();
    typename TaskLifeCycle<TestPolicy, Slot>::Completion completion(life, life.slot_id(id),
                                                                    scratch);
    completion.notify_consumers([&](SlotId slot) { ready.push_back(slot); });
    completion.drop_producers([this](TaskId consumed) { advance(consumed); });
    if (completion.consumed()) advance(id);
    return ready;
  }

  /// Ends the scope of a task, too.
  void retire(TaskId id) {
    static_cast<void>(complete(id));
    if (admission.life().drop_scope(admission.life().slot_of(id))) advance(id);
  }
  void advance(TaskId consumed) {
    admission.life().advance(consumed, [](TaskId) {});
  }

  std::array<RingArrays<Slot>, 2> arrays;
  std::array<RingMemory<TestPolicy, Slot>, 2> memory{arrays[0].memory(), arrays[1].memory()};
  Admission<TestPolicy, Slot> admission{memory};
  std::vector<std::pair<uint32_t, Claim>> claims;  // of the last submission
  uint64_t retries = 0;
};

using AdmittedSlots =
    testing::Types<TaskSlot<TestPolicy, TaskWord>, TaskSlot<TestPolicy, FanOutLock>>;
TYPED_TEST_SUITE(AdmissionTest, AdmittedSlots);

TYPED_TEST(AdmissionTest, SaysWhatIsLackingFirst) {
  const TaskId root = this->submit(0).id;
  const std::vector<TaskId> one{root};
  const std::vector<TaskId> many(4, root);
  const auto lacking = [&](uint64_t bytes, const std::vector<TaskId>& producers) {
    return this->admission.lacking({0, bytes, producers, {}});
  };
  EXPECT_EQ(lacking(0, one), std::nullopt);
  EXPECT_EQ(lacking(4 * unit, many), Lack::heap_bytes) << "a heap is never full";
  EXPECT_EQ(lacking(3 * unit, many), Lack::nodes);
  EXPECT_EQ(this->admission.lacking({0, 0, std::span(many).first(3), std::span(many).first(1)}),
            Lack::nodes)
      << "owners need nodes as well";
  static_cast<void>(this->submit(0));
  static_cast<void>(this->submit(0));
  EXPECT_EQ(lacking(4 * unit, many), Lack::slot) << "one slot stays free";
  EXPECT_EQ(this->admission.lacking({1, 0, {}, {}}), std::nullopt) << "another ring";
}

TYPED_TEST(AdmissionTest, TakesSlotBytesAndNodesTogether) {
  const auto root = this->submit(1, unit);
  EXPECT_EQ(root.id, make_id(1, 0));
  const auto task = this->submit(1, 2 * unit, {root.id});
  EXPECT_EQ(task.id, make_id(1, 1));
  EXPECT_EQ(task.heap_begin, unit);
  const auto& ring = this->admission.ring(1);
  EXPECT_EQ(ring.tasks.next(), 2u);
  EXPECT_EQ(ring.heap.top(), 3 * unit);
  EXPECT_EQ(ring.pool.used(0), 1u);
  EXPECT_TRUE(ring.invariant_holds(0));
  EXPECT_EQ(this->admission.ring(0).tasks.next(), 0u);
}

TYPED_TEST(AdmissionTest, TellsWhatEachClaimCameTo) {
  const TaskId held = this->submit(0).id;
  const TaskId done = this->submit(0).id;
  const TaskId gone = this->submit(1).id;
  static_cast<void>(this->complete(done));
  this->retire(gone);
  const auto task = this->submit(0, 0, {held, done, gone});
  const std::vector<std::pair<uint32_t, Claim>> expected{
      {0, Claim::linked}, {1, Claim::early}, {2, Claim::none}};
  EXPECT_EQ(this->claims, expected);
  EXPECT_EQ(task.absent, 2u);
  EXPECT_FALSE(this->admission.release(task)) << "one of them will notify it";
  EXPECT_EQ(this->complete(held), std::vector{this->admission.life().slot_id(task.id)});
}

TYPED_TEST(AdmissionTest, ATaskWithoutProducersIsReady) {
  const TaskId done = this->submit(0).id;
  EXPECT_TRUE(this->admission.release(this->submit(1)));
  static_cast<void>(this->complete(done));
  EXPECT_TRUE(this->admission.release(this->submit(1, 0, {done})));
}

TYPED_TEST(AdmissionTest, AnOwnerIsHeldAndNotAwaited) {
  const TaskId owner = this->submit(0).id;
  const auto task = this->submit(1, 0, {}, {owner});
  EXPECT_EQ(task.absent, 1u);
  EXPECT_TRUE(this->claims.empty());
  EXPECT_TRUE(this->admission.release(task));
  this->retire(owner);
  this->admission.observe();
  EXPECT_FALSE(this->admission.is_reclaimed(owner)) << "the task may still write its buffer";
  this->retire(task.id);
  this->admission.observe();
  EXPECT_TRUE(this->admission.is_reclaimed(owner));
}

TYPED_TEST(AdmissionTest, AnOwnerIsHeldBesideTheProducers) {
  this->retire(this->submit(0).id);  // the task that a fresh node names
  const TaskId producer = this->submit(0).id;
  const TaskId owner = this->submit(0).id;
  const auto task = this->submit(1, 0, {producer}, {owner});
  EXPECT_EQ(task.nodes, 2u);
  EXPECT_EQ(task.absent, 1u);
  EXPECT_FALSE(this->admission.release(task));
  this->retire(producer);
  this->retire(owner);
  this->admission.observe();
  EXPECT_EQ(this->admission.alive(0), 1u) << "the task has not read what was produced";
  this->retire(task.id);
  this->admission.observe();
  EXPECT_EQ(this->admission.alive(0), 3u);
}

TYPED_TEST(AdmissionTest, SeesWhatWasReclaimedWhenItLooks) {
  const TaskId first = this->submit(1).id;
  const TaskId second = this->submit(1).id;
  this->retire(first);
  EXPECT_FALSE(this->admission.is_reclaimed(first));
  EXPECT_EQ(this->admission.alive(1), 0u);
  this->admission.observe();
  EXPECT_TRUE(this->admission.is_reclaimed(first));
  EXPECT_FALSE(this->admission.is_reclaimed(second));
  EXPECT_FALSE(this->admission.is_reclaimed(make_id(0, 0))) << "a ring of its own";
  EXPECT_EQ(this->admission.alive(), (std::array<uint64_t, max_rings>{0, 1}));
}

TYPED_TEST(AdmissionTest, GivesOutAgainWhatWasReclaimed) {
  const TaskId a = this->submit(0).id;
  const TaskId b = this->submit(0).id;
  const TaskId first = this->submit(1).id;
  const TaskId second = this->submit(1, 2 * unit, {a, b}).id;
  static_cast<void>(this->submit(1, unit, {a}));
  const auto lacking = [&](uint64_t bytes, const std::vector<TaskId>& producers) {
    return this->admission.lacking({1, bytes, producers, {}});
  };
  this->retire(first);
  this->retire(second);
  EXPECT_EQ(lacking(0, {}), Lack::slot);
  this->admission.observe();
  EXPECT_EQ(lacking(2 * unit, {}), Lack::heap_bytes) << "it would end where the third begins";
  EXPECT_EQ(lacking(unit, {a, b}), std::nullopt);
  EXPECT_EQ(lacking(0, {a, b, a}), Lack::nodes) << "the third has one of them";
  EXPECT_EQ(this->admission.ring(1).tasks.most_active(), 3U);
  EXPECT_TRUE(this->admission.ring(1).invariant_holds(this->admission.alive(1)));
}

using AdmissionDeathTest = AdmissionTest<TaskSlot<TestPolicy, TaskWord>>;

TEST_F(AdmissionDeathTest, RefusesProducersThatAreReclaimed) {
  const TaskId gone = submit(0).id;
  retire(gone);
  admission.observe();
  EXPECT_DEATH(static_cast<void>(submit(1, 0, {gone})), "AD-I2");
  EXPECT_DEATH(static_cast<void>(submit(1, 0, {submit(0).id, gone})), "AD-I2");
  EXPECT_DEATH(static_cast<void>(submit(1, 0, {}, {gone})), "AD-I2");
}

TEST_F(AdmissionDeathTest, RefusesTooManyRings) {
  using Refused = Admission<TestPolicy, TaskSlot<TestPolicy, TaskWord>>;
  std::vector<Refused::Memory> many(max_rings + 1, memory[0]);
  EXPECT_DEATH(Refused{many}, "AD-P1");
  EXPECT_DEATH(Refused(std::span(many).first(0)), "AD-P1");
}

}  // namespace
}  // namespace pto2
