/// The result of `pto2 run`, for people and for programs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/cli/settings.hpp"
#include "runtime/device/device.hpp"

namespace pto2::cli {

struct RunReport {
  const Settings* settings = nullptr;
  DeviceConfig config;
  LaunchTeam team;
  RunResult result;  ///< of the repetition with the median wall time, or of the one that failed
  uint64_t repetitions = 0;             ///< that were run
  double wall_s = 0;                    ///< median
  std::string verdict;                  ///< pass, fail, inconclusive or fault
  std::string detail;                   ///< why not pass; may be empty
  std::optional<double> max_abs_error;  ///< over all repetitions
  std::optional<double> tolerance;
  std::vector<std::string> broken_rules;  ///< by the events of a traced run: our bug
  std::vector<std::string> kernel_names;  ///< by id
};

/// A short block of lines.
std::string to_text(const RunReport& report);

/// One object with schema pto2-run/1. Fields without a value are null: the error without a
/// reference, or when an output is not a number; the time inside kernels in a simulation, whose
/// clock counts points of the schedule.
std::string to_json(const RunReport& report);

}  // namespace pto2::cli
