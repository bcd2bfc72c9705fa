#include "core/assert.hpp"

#include <gtest/gtest.h>

namespace pto2 {
namespace {

TEST(InvariantDeathTest, ABrokenOneNamesItselfAndItsPlace) {
  const int zero = 0;
  EXPECT_DEATH(PTO2_INVARIANT("the test", zero == 1),
               "^invariant the test violated: zero == 1 .*assert_test.cpp:");
}

TEST(Invariant, OneThatHoldsIsSilent) {
  int evaluations = 0;
  PTO2_INVARIANT("the test", ++evaluations == 1);
  EXPECT_EQ(evaluations, 1);
}

}  // namespace
}  // namespace pto2
