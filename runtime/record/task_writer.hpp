/// What the lines of a trace say of tasks and of pipes.
#pragma once

#include <string>

#include "runtime/record/record.hpp"

namespace pto2 {

/// Appends what a task is, from `,"kernel":` on.
void write_task(const TaskRecord& task, const Record& record, std::string& text);
/// Appends what a task did with a pipe, from `,"group":` on.
void write_use(const PipeUse& use, std::string& text);
/// The same of what is left in one.
void write_left(const PipeUse& use, std::string& text);

}  // namespace pto2
