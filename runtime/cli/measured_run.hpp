/// A run from its settings to its report: what a command and a caller in another language have in
/// common.
#pragma once

#include <functional>
#include <stop_token>
#include <string>

#include "runtime/cli/progress.hpp"
#include "runtime/cli/run_program.hpp"
#include "runtime/cli/run_report.hpp"

namespace pto2::cli {

struct Measurement {
  std::string log_level;         ///< the least severe message of the runtime that goes to stderr
  bool traced = false;           ///< the report has a record
  std::function<void()> begins;  ///< called before an image is loaded, which may run its code
  std::stop_token stop;          ///< gives the run up
};

/// Loads, configures and runs. The report refers to `settings`. Throws what RunProgram and
/// Repetitions throw.
[[nodiscard]] RunReport measure(const Settings& settings, const OwnImages& own,
                                const Measurement& wanted, Progress& progress);

}  // namespace pto2::cli
