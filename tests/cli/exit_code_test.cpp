// What `pto2 run` returns, for reports that a runtime without defects does not make.
#include <gtest/gtest.h>

#include "runtime/cli/run_exit_code.hpp"

namespace pto2::cli {
namespace {

constexpr const char* verdicts[] = {"pass", "fail", "inconclusive", "fault"};

TEST(ExitCode, FollowsTheVerdict) {
  constexpr ExitCode codes[] = {exit_pass, exit_fail, exit_inconclusive, exit_runtime_fault};
  for (int i = 0; i < 4; ++i) {
    RunReport report;
    report.verdict = verdicts[i];
    EXPECT_EQ(exit_code(report), codes[i]) << verdicts[i];
  }
}

/// The code of a run that ended so where `expected` was asked for.
ExitCode code_of(const char* verdict, const char* detail, const char* expected) {
  RunReport report;
  report.verdict = verdict;
  report.detail = detail;
  report.expected = expected;
  return exit_code(report);
}

TEST(ExitCode, IsThatOfTheExpectationIfThereIsOne) {
  EXPECT_EQ(code_of("pass", "", "pass"), exit_pass);
  EXPECT_EQ(code_of("pass", "", "heap_ring_deadlock"), exit_fail);
  EXPECT_EQ(code_of("fault", "heap_ring_deadlock", "heap_ring_deadlock"), exit_pass);
  EXPECT_EQ(code_of("fault", "flow_control_deadlock", "heap_ring_deadlock"), exit_fail);
  EXPECT_EQ(code_of("fault", "heap_ring_deadlock", "pass"), exit_fail);
  EXPECT_EQ(code_of("fail", "1 elements are outside the tolerance", "pass"), exit_fail);
  EXPECT_EQ(code_of("inconclusive", "there is no reference to compare with", "pass"), exit_fail);
  // What is no fault has no name of one, whatever it says of itself.
  EXPECT_EQ(code_of("fail", "heap_ring_deadlock", "heap_ring_deadlock"), exit_fail);
}

TEST(ExitCode, OfWhatCannotBeMadeIsItsOwn) {
  for (const ExitCode code : {exit_usage, exit_bad_input, exit_our_bug}) {
    RunReport report;
    report.verdict = "error";
    report.expected = "pass";
    report.error = code;
    EXPECT_EQ(exit_code(report), code);
  }
}

TEST(ExitCode, OfADefectIsItsOwnWhateverTheVerdict) {
  for (const char* verdict : verdicts) {
    RunReport by_events;
    by_events.verdict = verdict;
    by_events.broken_rules = {"line 7: VR-I2: task 0 of ring 0 has 2 events ack"};
    EXPECT_EQ(exit_code(by_events), exit_our_bug) << verdict;

    RunReport by_structures;
    by_structures.verdict = verdict;
    by_structures.result.damaged = {"ring 0"};
    EXPECT_EQ(exit_code(by_structures), exit_our_bug) << verdict;

    RunReport by_leftovers;
    by_leftovers.verdict = verdict;
    by_leftovers.result.error.code = ErrorCode::not_drained;
    EXPECT_EQ(exit_code(by_leftovers), exit_our_bug) << verdict;

    RunReport by_crash;
    by_crash.verdict = verdict;
    by_crash.result.error.code = ErrorCode::runtime_crashed;
    EXPECT_EQ(exit_code(by_crash), exit_our_bug) << verdict;
    for (RunReport report : {by_events, by_structures, by_leftovers, by_crash}) {
      report.expected = report.outcome();
      EXPECT_EQ(exit_code(report), exit_our_bug) << verdict << ", and expected";
    }
  }
}

TEST(ExitCode, OfSeveralRunsIsThatOfTheWorst) {
  RunReport passed;
  passed.verdict = "pass";
  RunReport failed;
  failed.verdict = "fail";
  EXPECT_EQ(worse_of(exit_pass, passed), exit_pass);
  EXPECT_EQ(worse_of(exit_pass, failed), exit_fail);
  EXPECT_EQ(worse_of(exit_runtime_fault, failed), exit_runtime_fault);
  EXPECT_EQ(worse_of(exit_fail, passed), exit_fail);
}

TEST(ExitCode, OfAnInterruptedRunHidesNoFailure) {
  RunReport cut_off;
  cut_off.verdict = "interrupted";
  cut_off.interrupted = exit_terminated;
  ASSERT_TRUE(cut_off.is_interrupted());
  EXPECT_EQ(worse_of(exit_pass, cut_off), exit_terminated);
  EXPECT_EQ(worse_of(exit_fail, cut_off), exit_fail);
  RunReport damaged = cut_off;
  damaged.result.damaged = {"ring 0"};
  ASSERT_TRUE(damaged.is_interrupted());
  EXPECT_EQ(worse_of(exit_fail, damaged), exit_our_bug);
}

}  // namespace
}  // namespace pto2::cli
