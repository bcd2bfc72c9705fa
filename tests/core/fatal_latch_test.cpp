#include "core/fatal_latch.hpp"

#include <gtest/gtest.h>

#include <string>

#include "tests/core/policy.hpp"

namespace pto2 {
namespace {

TEST(FatalLatch, KeepsTheFirstConditionAndItsDetails) {
  FatalLatch<TestPolicy, std::string> latch;
  EXPECT_FALSE(latch.is_set());
  EXPECT_EQ(latch.code(), 0);
  EXPECT_TRUE(latch.latch(3, "first"));
  EXPECT_FALSE(latch.latch(4, "second"));
  EXPECT_TRUE(latch.is_set());
  EXPECT_EQ(latch.code(), 3);
  EXPECT_EQ(latch.details(), "first");
}

TEST(FatalLatch, NegativeCodesAreCodes) {
  FatalLatch<TestPolicy, int> latch;
  EXPECT_TRUE(latch.latch(-2, 7));
  EXPECT_TRUE(latch.is_set());
  EXPECT_EQ(latch.code(), -2);
}

TEST(FatalLatch, SaysWhenTheElectedLeftNoCode) {
  FatalLatch<TestPolicy, int> latch;
  EXPECT_TRUE(latch.invariant_holds());
  EXPECT_TRUE(latch.latch(0, 7)) << "0 is not a code";
  EXPECT_FALSE(latch.invariant_holds());
  FatalLatch<TestPolicy, int> other;
  EXPECT_TRUE(other.latch(1, 7));
  EXPECT_TRUE(other.invariant_holds());
}

}  // namespace
}  // namespace pto2
