/// The trace of a run, in a file.
#pragma once

#include "runtime/cli/run_report.hpp"
#include "runtime/output/output_file.hpp"

namespace pto2::cli {

/// Writes the record of the report's run (runtime/record/trace_writer.hpp), which gets the names of
/// what was run.
void write_trace(OutputFile& file, RunReport& report);

}  // namespace pto2::cli
