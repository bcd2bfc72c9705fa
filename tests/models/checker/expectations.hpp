// What the tests expect of whole programs.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <pto2/checker.hpp>
#include <string>

namespace pto2::model {

/// What the program does in the execution of this token.
inline Report replay(const std::string& token, const std::function<void()>& body,
                     Options options = {}) {
  options.strategy = Strategy::replay;
  options.token = token;
  return explore(options, body);
}

/// The report's violation is the one that its token leads to again.
inline void expect_replay(const Report& report, const std::function<void()>& body,
                          const Options& options = {}) {
  ASSERT_TRUE(report.violation) << report.to_text();
  const Report again = replay(report.violation->token, body, options);
  ASSERT_TRUE(again.violation) << again.to_text();
  EXPECT_EQ(again.violation->kind, report.violation->kind) << again.to_text();
  EXPECT_EQ(again.violation->message, report.violation->message);
  EXPECT_EQ(again.violation->thread, report.violation->thread);
  // What waits in a deadlock looks once more.
  if (report.violation->kind == ViolationKind::deadlock) return;
  EXPECT_EQ(again.violation->token, report.violation->token);
}

/// The program has a violation of this kind, and its token, if the kind has one, replays it.
inline Report expect_violation(ViolationKind kind, const Options& options,
                               const std::function<void()>& body) {
  Report report = explore(options, body);
  EXPECT_TRUE(report.violation) << report.to_text();
  if (!report.violation) return report;
  EXPECT_EQ(report.violation->kind, kind) << report.to_text();
  EXPECT_EQ(report.verdict, Verdict::fail);
  EXPECT_FALSE(report.ok());
  if (!report.violation->token.empty()) expect_replay(report, body, options);
  return report;
}
inline Report expect_violation(ViolationKind kind, const std::function<void()>& body) {
  return expect_violation(kind, {}, body);
}

/// The program is searched completely and has none.
inline void expect_pass(const Options& options, const std::function<void()>& body) {
  const Report report = explore(options, body);
  EXPECT_EQ(report.verdict, Verdict::pass) << report.to_text();
  EXPECT_TRUE(report.complete);
  EXPECT_GT(report.executions, 0u);
}
inline void expect_pass(const std::function<void()>& body) {
  expect_pass({}, body);
}

}  // namespace pto2::model
