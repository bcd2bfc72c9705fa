/// A hang guard around each googletest case of a program that includes this.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "stress/hang_guard.hpp"

namespace pto2::test {

class GuardedTests final : public testing::EmptyTestEventListener {
 public:
  static bool begin() {
    testing::UnitTest::GetInstance()->listeners().Append(new GuardedTests);
    return true;
  }

 private:
  void OnTestStart(const testing::TestInfo& test) override {
    guard_ = new stress::HangGuard(std::string(test.test_suite_name()) + "." + test.name());
  }
  void OnTestEnd(const testing::TestInfo&) override { delete std::exchange(guard_, nullptr); }

  // Of no object that ends with the program: a death test is a child process that may call exit()
  // in the middle of a test. The thread of the guard is not there, nor is what it held free.
  static inline stress::HangGuard* guard_ = nullptr;
};

inline const bool tests_are_guarded = GuardedTests::begin();

}  // namespace pto2::test
