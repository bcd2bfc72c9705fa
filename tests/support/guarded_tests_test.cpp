#include "tests/support/guarded_tests.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <thread>

namespace pto2::test {
namespace {

/// By then the thread of the guard waits, as it does whenever a test has begun a while ago.
TEST(GuardedTests, AChildThatCallsExitEnds) {
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_EXIT(std::exit(3), testing::ExitedWithCode(3), "^$");
}

}  // namespace
}  // namespace pto2::test
