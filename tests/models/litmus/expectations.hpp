#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <pto2/checker.hpp>

namespace pto2::model::litmus {

/// The search ends, without a violation and with so many executions.
inline void expect_executions(const std::function<void()>& body, std::uint64_t count) {
  const Report report = explore(Options{}, body);
  EXPECT_TRUE(report.ok()) << report.to_text();
  EXPECT_EQ(report.executions, count);
}

inline void expect_violation(const std::function<void()>& body, ViolationKind kind) {
  const Report report = explore(Options{}, body);
  ASSERT_TRUE(report.violation);
  EXPECT_EQ(report.violation->kind, kind) << report.to_text();
}

}  // namespace pto2::model::litmus
