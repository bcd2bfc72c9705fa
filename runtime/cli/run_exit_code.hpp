/// The exit code of `pto2 run`.
#pragma once

#include "runtime/cli/run_report.hpp"
#include "runtime/output/exit_codes.hpp"

namespace pto2::cli {

/// A defect of the runtime comes first, whatever the verdict is; then what was expected.
ExitCode exit_code(const RunReport& report);

}  // namespace pto2::cli
