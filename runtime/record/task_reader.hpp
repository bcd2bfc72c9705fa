/// Reads what the lines of a trace say of tasks and of pipes. Each throws TraceError for what is
/// missing or has another form. `record` has its header.
#pragma once

#include "runtime/record/json_line.hpp"
#include "runtime/record/record.hpp"

namespace pto2 {

/// The task that a line `submit` tells of, as the next event's.
[[nodiscard]] TaskRecord read_task(const JsonLine& line, const Record& record);

/// What a line `pipe` tells of, as the next event's.
[[nodiscard]] PipeUse read_use(const JsonLine& line, const Record& record);
/// The same of a line `leftover`.
[[nodiscard]] PipeUse read_left(const JsonLine& line, const Record& record);

/// Number of a core type's name. Also throws for one that the chip has not.
[[nodiscard]] uint32_t type_of(const JsonLine& line, const Record& record);

/// The task that a line names. Also throws for a ring that there is not.
[[nodiscard]] TaskId task_of(const JsonLine& line, const Record& record);

}  // namespace pto2
