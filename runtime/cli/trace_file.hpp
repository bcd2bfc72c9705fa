/// The trace of a run, in a file.
#pragma once

#include <cstdint>

#include "runtime/cli/run_report.hpp"
#include "runtime/output/output_file.hpp"

namespace pto2::cli {

/// Writes the trace of the report's run (runtime/trace/trace_writer.hpp). Returns the number of
/// events that found their buffer full.
uint64_t write_trace(OutputFile& file, const RunReport& report);

}  // namespace pto2::cli
