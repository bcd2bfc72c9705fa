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

TEST(ExitCode, OfADefectIsItsOwnWhateverTheVerdict) {
  for (const char* verdict : verdicts) {
    RunReport by_events;
    by_events.verdict = verdict;
    by_events.broken_rules = {"EV-I5: task 0 of ring 0 has 2 events ack"};
    EXPECT_EQ(exit_code(by_events), exit_our_bug) << verdict;

    RunReport by_structures;
    by_structures.verdict = verdict;
    by_structures.result.damaged = {"ring 0"};
    EXPECT_EQ(exit_code(by_structures), exit_our_bug) << verdict;

    RunReport by_leftovers;
    by_leftovers.verdict = verdict;
    by_leftovers.result.error.code = ErrorCode::not_drained;
    EXPECT_EQ(exit_code(by_leftovers), exit_our_bug) << verdict;
  }
}

}  // namespace
}  // namespace pto2::cli
