/// Reads the header of a trace: what was run, on what, and how it ended.
#pragma once

#include "runtime/record/json_line.hpp"
#include "runtime/record/record.hpp"

namespace pto2 {

/// A record that has all but its events. Throws TraceError for a line that is no header of
/// pto2-trace/3 or /2, and for one that contradicts itself.
[[nodiscard]] Record read_header(const JsonLine& line);

}  // namespace pto2
