#include "core/fan_in.hpp"

#include <gtest/gtest.h>

#include "tests/core/policy.hpp"

namespace pto2 {
namespace {

TEST(FanIn, ATaskWithoutProducersIsReadyWhenTheHoldIsDropped) {
  FanIn<TestPolicy> fan_in;
  fan_in.open(0);
  EXPECT_EQ(fan_in.pending(), 1u);
  EXPECT_TRUE(fan_in.release_hold(0));
  EXPECT_EQ(fan_in.pending(), 0u);
}

/// For every number of producers, early ones among them, and every place of the hold in the order:
/// the last call is elected, and no other.
TEST(FanIn, TheLastOneIsElected) {
  for (uint32_t producers = 0; producers <= 20; ++producers) {
    for (uint32_t early = 0; early <= producers; ++early) {
      const uint32_t notifications = producers - early;
      for (uint32_t hold_at = 0; hold_at <= notifications; ++hold_at) {
        FanIn<TestPolicy> fan_in;
        fan_in.open(producers);
        for (uint32_t call = 0; call <= notifications; ++call) {
          const bool elected = call == hold_at ? fan_in.release_hold(early) : fan_in.notify();
          ASSERT_EQ(elected, call == notifications);
        }
        ASSERT_EQ(fan_in.pending(), 0u);
      }
    }
  }
}

TEST(FanIn, ASlotIsOpenedAgain) {
  FanIn<TestPolicy> fan_in;
  fan_in.open(1);
  EXPECT_FALSE(fan_in.notify());
  EXPECT_TRUE(fan_in.release_hold(0));
  fan_in.open(2);
  EXPECT_EQ(fan_in.pending(), 3u);
  EXPECT_TRUE(fan_in.release_hold(2));
}

TEST(FanIn, SaysWhenItAwaitsMoreThanATaskCanHave) {
  FanIn<TestPolicy> fan_in;
  EXPECT_TRUE(fan_in.invariant_holds()) << "fresh";
  fan_in.open(max_producers);
  EXPECT_TRUE(fan_in.invariant_holds());
  fan_in.open(max_producers + 1);
  EXPECT_FALSE(fan_in.invariant_holds());
}

TEST(FanInDeathTest, OneNotificationTooMany) {
  FanIn<TestPolicy> fan_in;
  fan_in.open(0);
  EXPECT_TRUE(fan_in.release_hold(0));
  EXPECT_DEATH((void)fan_in.notify(), "FI-I2");
}

TEST(FanInDeathTest, MoreEarlyProducersThanProducers) {
  FanIn<TestPolicy> fan_in;
  fan_in.open(2);
  EXPECT_DEATH((void)fan_in.release_hold(3), "FI-I2");
}

}  // namespace
}  // namespace pto2
