/// What is wrong with a run of a workload.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "runtime/device/run_result.hpp"
#include "runtime/workloads/workload.hpp"

namespace pto2::simulations {

struct WorkloadRun {
  std::string expected;            ///< name of the error with which it must end, or "ok"
  std::optional<uint64_t> tasks;   ///< that it must submit if it ends so; nothing: it depends
  std::string told = {};           ///< a part of the message, if it ends so
  std::vector<std::string> edges;  ///< what is wrong with them
  std::vector<std::string> rules;  ///< that its record breaks
  std::vector<std::string> stubs;  ///< what these found; empty without stubs
  /// Judges the values, of a whole run with kernels; empty: there are none.
  std::function<workloads::Verification()> verify;
};

/// Nothing: the run is right.
[[nodiscard]] std::vector<std::string> problems_of(const RunResult& result, const WorkloadRun& run);

}  // namespace pto2::simulations
