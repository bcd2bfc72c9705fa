/// Reads what a line `submit` says of a task, and what one of a pipe says.
#pragma once

#include "runtime/validate/json_line.hpp"
#include "runtime/validate/trace.hpp"

namespace pto2::validation {

/// `trace` has its header. Throws TraceError.
[[nodiscard]] Submission read_submission(const JsonLine& line, const Trace& trace);

/// The use that a line `pipe` or `leftover` tells of. Throws TraceError.
[[nodiscard]] PipeUse read_pipe_use(const JsonLine& line, const Trace& trace, Kind kind);

/// Number of a core type's name. Throws TraceError for one that the chip has not.
[[nodiscard]] uint32_t type_of(const JsonLine& line, const Trace& trace);

/// The task that a line names. Throws TraceError for a ring that there is not.
[[nodiscard]] TaskName task_of(const JsonLine& line, const Trace& trace);

}  // namespace pto2::validation
