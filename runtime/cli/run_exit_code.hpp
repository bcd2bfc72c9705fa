/// The exit code of `pto2 run`.
#pragma once

#include "runtime/cli/run_report.hpp"
#include "runtime/output/exit_codes.hpp"

namespace pto2::cli {

/// A defect of the runtime comes first, whatever the verdict is; then what was expected.
ExitCode exit_code(const RunReport& report);

/// Of runs one after the other, the last of which has this report. A failure stays the result where
/// a later run is interrupted; a defect of the runtime is the result wherever it comes up.
ExitCode worse_of(ExitCode until_now, const RunReport& next);

}  // namespace pto2::cli
