/// The exit code of `pto2 run`.
#pragma once

#include "runtime/cli/exit_codes.hpp"
#include "runtime/cli/run_report.hpp"

namespace pto2::cli {

/// A defect of the runtime comes first, whatever the verdict is.
ExitCode exit_code(const RunReport& report);

}  // namespace pto2::cli
