/// What the task word alone promises; what it shares with the lock is in task_state_test.cpp.
#include "core/task_word.hpp"

#include <gtest/gtest.h>

#include "tests/core/spoilt_policy.hpp"

namespace pto2 {
namespace {

static_assert(sizeof(TaskWord<TestPolicy>) == 8);

class TaskWordTest : public testing::Test {
 protected:
  ~TaskWordTest() override { SpoiltPolicy::meanwhile = nullptr; }
  Claim claim(uint32_t node) { return word.claim(id, make_node(0, node), nodes[node], retries); }
  /// `what` happens after the look of the next claim.
  static void after_look(std::function<void()> what) {
    SpoiltPolicy::meanwhile = [what] { SpoiltPolicy::meanwhile = what; };
  }

  TaskWord<SpoiltPolicy> word;
  std::array<DependencyNode<SpoiltPolicy>, 4> nodes;
  uint64_t retries = 0;
  TaskId id = make_id(1, 6);
};

/// The lock notices at once (TS-I2); the word pays for one atomic operation only.
TEST_F(TaskWordTest, SaysWhenAnOpenTaskLostItsOwnReference) {
  word.open(id);
  EXPECT_FALSE(word.drop());
  EXPECT_TRUE(word.invariant_holds());
  EXPECT_FALSE(word.drop());
  EXPECT_FALSE(word.invariant_holds());
}

TEST_F(TaskWordTest, ADropBetweenLookAndLinkCostsOneRetry) {
  word.open(id);
  ASSERT_EQ(claim(1), Claim::linked);
  after_look([this] { EXPECT_FALSE(word.drop()); });
  EXPECT_EQ(claim(2), Claim::linked);
  EXPECT_EQ(retries, 1u);
  EXPECT_EQ(word.references(id), 3u);
  EXPECT_EQ(nodes[2].next.read(), make_node(0, 1));
}

TEST_F(TaskWordTest, ACloseBetweenLookAndLinkMakesTheConsumerEarly) {
  word.open(id);
  Closed closed{};
  after_look([&] { closed = word.close(); });
  EXPECT_EQ(claim(1), Claim::early);
  EXPECT_EQ(retries, 1u);
  EXPECT_EQ(closed.head, nil) << "the node is not on the list";
  EXPECT_EQ(word.references(id), 2u);
}

TEST_F(TaskWordTest, TheLastDropBetweenLookAndHoldLeavesNoEdge) {
  word.open(id);
  (void)word.close();
  after_look([this] { EXPECT_TRUE(word.drop()); });
  EXPECT_EQ(claim(1), Claim::none);
  EXPECT_EQ(retries, 1u);
  EXPECT_EQ(word.references(id), 0u);
}

/// Fields lie side by side: the largest value of one must not reach the next.
TEST_F(TaskWordTest, FieldsAtTheirLimitsStayApart) {
  id = make_id(3, max_task_local);
  word.open(id);
  const NodeId last = make_node(3, max_ring_entries - 1);
  ASSERT_EQ(word.claim(id, last, nodes[1], retries), Claim::linked);
  EXPECT_EQ(word.references(id), 3u);
  EXPECT_EQ(word.phase(id), Phase::initial);
  EXPECT_EQ(word.close().head, last);
  EXPECT_EQ(word.phase(id), Phase::completed);
  EXPECT_FALSE(word.drop());
  EXPECT_TRUE(word.drop());
  EXPECT_TRUE(word.is_consumed(id)) << "the head is left behind";
}

}  // namespace
}  // namespace pto2
