/// A kernel that broke the bound of a pipe: how it is noted, and what the user is told.
#pragma once

#include <cstdint>
#include <optional>

#include "core/task_id.hpp"
#include "runtime/chip/ai_core.hpp"
#include "runtime/run/error.hpp"

namespace pto2 {

/// Entries that a pipe has seen since it was made.
struct PipeCounts {
  uint64_t pushed;
  uint64_t popped;
  uint64_t freed;
};

/// What the runtime keeps of a pipe. `control` is what kernels see.
struct Pipe {
  PTOPipe control;
  uint32_t group;
  int32_t tag;
  PipeCounts before;  ///< the task whose pipe it is
};

/// Plain data, for the fatal latch.
struct PipeFault {
  Pipe pipe;
  TaskId task = no_task;
  uint32_t kernel = 0;  ///< its id
};

/// The fault of the first pipe among the arguments that has one. Requires a task with pipes whose
/// kernel has returned.
[[nodiscard]] std::optional<PipeFault> find_pipe_fault(const TaskArguments& arguments, TaskId task);

/// pipe_overflow or pipe_underflow.
[[nodiscard]] ErrorCode pipe_fault_code(PTOPipeFault fault);
/// Names pipe, kernel, task and capacity, and what to do.
[[nodiscard]] RunError describe_pipe_fault(const PipeFault& fault);

}  // namespace pto2
