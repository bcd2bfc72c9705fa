#include "runtime/cli/run_exit_code.hpp"

#include <algorithm>

namespace pto2::cli {

ExitCode exit_code(const RunReport& report) {
  const RunResult& result = report.result;
  const bool our_bug = row_of(result.error.code).cause == Cause::runtime ||
                       !result.damaged.empty() || !report.broken_rules.empty();
  if (our_bug) return exit_our_bug;
  if (report.is_interrupted()) return report.interrupted;
  if (report.is_error()) return report.error;
  if (!report.expected.empty()) return report.is_as_expected() ? exit_pass : exit_fail;
  if (report.verdict == "pass") return exit_pass;
  if (report.verdict == "inconclusive") return exit_inconclusive;
  if (report.verdict == "fail") return exit_fail;
  return exit_runtime_fault;
}

ExitCode worse_of(ExitCode until_now, const RunReport& next) {
  const ExitCode code = exit_code(next);
  const bool is_cut_off = next.is_interrupted() && code != exit_our_bug;
  return is_cut_off && until_now != exit_pass ? until_now : std::max(until_now, code);
}

}  // namespace pto2::cli
