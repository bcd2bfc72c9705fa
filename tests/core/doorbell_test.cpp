#include "core/doorbell.hpp"

#include <gtest/gtest.h>

#include "tests/core/policy.hpp"

namespace pto2 {
namespace {

TEST(Doorbell, ARingIsRememberedOnce) {
  Doorbell<TestPolicy> bell;
  EXPECT_FALSE(bell.take());
  bell.ring();
  bell.ring();
  EXPECT_TRUE(bell.is_rung());
  EXPECT_TRUE(bell.take());
  EXPECT_FALSE(bell.is_rung());
  EXPECT_FALSE(bell.take());
}

TEST(Doorbell, NobodySleepsWhoWasRung) {
  Doorbell<TestPolicy> bell;
  bell.ring();
  bell.sleep();
  EXPECT_TRUE(bell.take()) << "sleeping uses up nothing";
}

}  // namespace
}  // namespace pto2
