#include <gtest/gtest.h>

#include <thread>

#include "stress/hang_guard.hpp"

namespace pto2::test {
namespace {

TEST(OneThread, ASecondThreadEndsTheProgram) {
  EXPECT_DEATH(std::thread([] {}).join(), "marked ONE_THREAD starts a thread");
}

TEST(OneThread, AHangGuardMayHaveItsOwn) {
  { const stress::HangGuard guard("nothing"); }
  EXPECT_DEATH(std::thread([] {}).join(), "marked ONE_THREAD starts a thread");
}

}  // namespace
}  // namespace pto2::test
