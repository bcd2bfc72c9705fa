#include "stress/simulation/workload_problems.hpp"

#include <fmt/format.h>

namespace pto2::simulations {

std::vector<std::string> problems_of(const RunResult& result, const WorkloadRun& run) {
  std::vector<std::string> problems;
  const std::string error = error_name(result.error.code);
  if (error != run.expected) {
    problems.push_back(fmt::format("expected {}, got {}: {} {}", run.expected, error,
                                   result.error.message, result.error.hint));
  } else if (result.error.message.find(run.told) == std::string::npos) {
    problems.push_back(fmt::format("expected '{}', got: {}", run.told, result.error.message));
  }
  // What was submitted before a deadlock runs to its end.
  for (const auto* found : {&run.edges, &run.rules, &run.stubs}) {
    problems.insert(problems.end(), found->begin(), found->end());
  }
  const bool passes = result.error.code == ErrorCode::ok;
  if ((passes || error == run.expected) && run.tasks.value_or(result.tasks) != result.tasks) {
    problems.push_back(fmt::format("{} tasks, expected {}", result.tasks, *run.tasks));
  }
  if (!passes || !run.verify) return problems;
  const workloads::Verification verified = run.verify();
  if (!verified.pass) problems.push_back(verified.detail);
  return problems;
}

}  // namespace pto2::simulations
