/// GoogleTest integration: EXPECT_TRUE(pto2::model::holds(options, body)) fails with the whole
/// report, replay line included.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <utility>

#include "pto2/checker.hpp"

namespace pto2::model {

/// Whether the search is complete and found no violation.
inline testing::AssertionResult holds(Options options, const std::function<void()>& body) {
  const testing::TestInfo* const test = testing::UnitTest::GetInstance()->current_test_info();
  if (test != nullptr && options.name == Options{}.name) {
    options.name = std::string(test->test_suite_name()) + "." + test->name();
  }
  const Report report = explore(options, body);
  if (report.ok()) return testing::AssertionSuccess();
  return testing::AssertionFailure() << report.to_text();
}

inline testing::AssertionResult holds(const std::function<void()>& body) {
  return holds(Options{}, body);
}

}  // namespace pto2::model
