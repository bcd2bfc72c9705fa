// What the tests expect of whole programs.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <pto2/checker.hpp>

namespace pto2::model {

/// The program has a violation of this kind, and its token replays it.
inline void expect_violation(ViolationKind kind, const std::function<void()>& body) {
  const Report report = explore(Options{}, body);
  ASSERT_TRUE(report.violation) << report.to_text();
  EXPECT_EQ(report.violation->kind, kind) << report.to_text();
  EXPECT_EQ(report.verdict, Verdict::fail);
  EXPECT_FALSE(report.ok());
  if (report.violation->token.empty()) return;
  Options options;
  options.strategy = Strategy::replay;
  options.token = report.violation->token;
  const Report again = explore(options, body);
  ASSERT_TRUE(again.violation) << again.to_text();
  EXPECT_EQ(again.violation->kind, kind) << again.to_text();
}

/// The program is searched completely and has none.
inline void expect_pass(const std::function<void()>& body) {
  const Report report = explore(Options{}, body);
  EXPECT_EQ(report.verdict, Verdict::pass) << report.to_text();
  EXPECT_TRUE(report.complete);
  EXPECT_GT(report.executions, 0u);
}

}  // namespace pto2::model
