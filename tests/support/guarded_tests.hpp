/// A hang guard around each googletest case of a program that includes this.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>

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
    guard_.emplace(std::string(test.test_suite_name()) + "." + test.name());
  }
  void OnTestEnd(const testing::TestInfo&) override { guard_.reset(); }

  std::optional<stress::HangGuard> guard_;
};

inline const bool tests_are_guarded = GuardedTests::begin();

}  // namespace pto2::test
