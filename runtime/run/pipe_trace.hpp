/// What tasks do with their pipes, for the events of a run.
///
/// A pipe belongs to one task at a time, from when it is ready until it completes (PI-I1,
/// runtime/orchestrator/pipe_table.hpp). So a scheduler sees the pipe as the kernel finds it and as
/// the kernel leaves it, and nothing here touches what is shared.
#pragma once

#include <cstdint>

#include "runtime/events/event_log.hpp"
#include "runtime/run/pipe_fault.hpp"

namespace pto2 {

/// Keeps how the pipes of a task are. Requires that the task is ready and was not dispatched.
void note_pipes(const TaskArguments& arguments);

/// Records an event for each pipe of a task. Requires that its pipes were noted, that its kernel
/// has returned and has changed none by itself (pipe_fault.hpp), and that it has not completed.
void record_pipes(const TaskArguments& arguments, TaskId task, uint64_t tick, EventLog& log);

}  // namespace pto2
