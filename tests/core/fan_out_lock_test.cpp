/// What the fan-out lock alone promises; what it shares with the word is in task_state_test.cpp.
#include "core/fan_out_lock.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "tests/core/spoilt_policy.hpp"

namespace pto2 {
namespace {

class FanOutLockTest : public testing::Test {
 protected:
  ~FanOutLockTest() override { SpoiltPolicy::meanwhile = nullptr; }
  Claim claim(uint32_t node) { return slot.claim(id, make_node(0, node), nodes[node], retries); }

  FanOutLock<SpoiltPolicy> slot;
  std::array<DependencyNode<SpoiltPolicy>, 4> nodes;
  uint64_t retries = 0;
  TaskId id = make_id(1, 6);
};

TEST_F(FanOutLockTest, EveryVerbLeavesTheLockFree) {
  slot.open(id);
  EXPECT_TRUE(slot.invariant_holds());
  EXPECT_EQ(claim(1), Claim::linked);
  EXPECT_TRUE(slot.invariant_holds()) << "linked";
  slot.hold(id);
  EXPECT_TRUE(slot.invariant_holds()) << "held";
  (void)slot.close();
  EXPECT_TRUE(slot.invariant_holds()) << "closed";
  EXPECT_EQ(claim(2), Claim::early);
  EXPECT_TRUE(slot.invariant_holds()) << "early";
  EXPECT_FALSE(slot.drop());
  EXPECT_FALSE(slot.drop());
  EXPECT_FALSE(slot.drop());
  EXPECT_TRUE(slot.drop());
  EXPECT_TRUE(slot.invariant_holds()) << "consumed";
  EXPECT_EQ(claim(3), Claim::none);
  EXPECT_TRUE(slot.invariant_holds()) << "none";
  EXPECT_EQ(slot.references(id), 0u);
  EXPECT_TRUE(slot.invariant_holds()) << "counted";
  EXPECT_EQ(retries, 0u);
}

/// From inside the critical section of each verb all others find the lock held.
TEST_F(FanOutLockTest, ASectionKeepsTheOthersOut) {
  using Verb = std::function<void()>;
  const std::vector<Verb> verbs{[this] { (void)claim(1); }, [this] { slot.hold(id); },
                                [this] { (void)slot.references(id); },
                                [this] { (void)slot.close(); }, [this] { (void)slot.drop(); }};
  slot.open(id);
  for (std::size_t inside = 0; inside < 4; ++inside) {  // drop() looks at the state only at the end
    for (const Verb& other : verbs) {
      bool waited = false;
      // The first operation takes the lock; the second comes inside.
      SpoiltPolicy::meanwhile = [&] {
        SpoiltPolicy::meanwhile = [&] {
          try {
            other();
          } catch (SpoiltPolicy::Waits) {
            waited = true;
          }
        };
      };
      if (inside == 3) slot.open(id);  // closed by the round before
      verbs[inside]();
      EXPECT_TRUE(waited) << inside;
    }
  }
  EXPECT_EQ(retries, 4u) << "one per claim that met another verb's section";
}

}  // namespace
}  // namespace pto2
