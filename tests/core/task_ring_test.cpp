#include "core/task_ring.hpp"

#include <gtest/gtest.h>

namespace pto2 {
namespace {

TEST(TaskRing, HoldsOneTaskLessThanItsWindow) {
  for (const uint32_t window : {2u, 4u, 64u, max_ring_entries}) {
    TaskRing ring(window);
    EXPECT_EQ(ring.window(), window);
    for (uint64_t task = 0; task < window - 1; ++task) {
      ASSERT_TRUE(ring.fits());
      ASSERT_EQ(ring.take(), task);
    }
    EXPECT_FALSE(ring.fits());
    EXPECT_EQ(ring.active(0), window - 1);
    ring.observe(1);
    EXPECT_TRUE(ring.fits());
    EXPECT_TRUE(ring.invariant_holds(0));
  }
}

TEST(TaskRing, SlotsGoRound) {
  TaskRing ring(4);
  for (uint64_t task = 0; task < 40; ++task) {
    EXPECT_EQ(ring.slot(ring.next()), task % 4);
    ring.observe(task);
    EXPECT_EQ(ring.take(), task);
  }
  EXPECT_EQ(ring.active(40), 0u);
}

TEST(TaskRing, KnowsHowManyWereAliveAtMost) {
  TaskRing ring(8);
  for (uint64_t task = 0; task < 5; ++task) (void)ring.take();
  EXPECT_EQ(ring.most_active(), 5U);
  ring.observe(4);
  EXPECT_EQ(ring.most_active(), 5U);
  for (uint64_t task = 5; task < 7; ++task) (void)ring.take();
  ring.observe(6);
  EXPECT_EQ(ring.most_active(), 5U) << "the peak, not the last";
  for (uint64_t task = 7; task < 12; ++task) (void)ring.take();
  EXPECT_EQ(ring.most_active(), 6U);
}

TEST(TaskRing, SeesAWatermarkThatCannotBe) {
  TaskRing ring(4);
  EXPECT_TRUE(ring.invariant_holds(0));
  EXPECT_FALSE(ring.invariant_holds(1)) << "ahead of the next task";
  for (uint64_t task = 0; task < 4; ++task) {
    ring.observe(task);
    (void)ring.take();
  }
  EXPECT_TRUE(ring.invariant_holds(1));
  EXPECT_FALSE(ring.invariant_holds(0)) << "more alive than the window holds";
}

TEST(TaskRingDeathTest, BadWindows) {
  EXPECT_DEATH(TaskRing(0), "TR-P1");
  EXPECT_DEATH(TaskRing(1), "TR-P1");
  EXPECT_DEATH(TaskRing(6), "TR-P1");
  EXPECT_DEATH(TaskRing(2 * max_ring_entries), "TR-P1");
}

TEST(TaskRingDeathTest, TakingASlotThatIsNotFree) {
  TaskRing ring(2);
  (void)ring.take();
  EXPECT_DEATH((void)ring.take(), "TR-I2");
}

}  // namespace
}  // namespace pto2
