/// A hang guard around each googletest case of a program.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "stress/hang_guard.hpp"

namespace pto2::test {

class GuardedTests final : public testing::EmptyTestEventListener {
 public:
  /// Guards the cases of this program. One variable of the test's source is initialised with it:
  /// `const bool guarded = test::GuardedTests::begin();`.
  static bool begin() {
    testing::UnitTest::GetInstance()->listeners().Append(new GuardedTests);
    return true;
  }

 private:
  void OnTestStart(const testing::TestInfo& test) override {
    guard_.emplace(std::string(test.test_suite_name()) + "." + test.name());
  }
  void OnTestEnd(const testing::TestInfo&) override { guard_.reset(); }

  std::optional<stress::HangGuard> guard_;
};

}  // namespace pto2::test
