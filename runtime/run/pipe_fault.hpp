/// A kernel that broke the bound of a pipe, or changed its counts, sizes or fault by itself: how
/// it is noted, and what the user is told.
#pragma once

#include <cstdint>
#include <optional>

#include "core/task_id.hpp"
#include "runtime/chip/ai_core.hpp"
#include "runtime/run/error.hpp"

namespace pto2 {

/// What the runtime keeps of a pipe. `control` is what kernels see.
struct Pipe {
  PTOPipe control;
  uint32_t group;
  int32_t tag;
  PTOPipe before;  ///< the task whose pipe it is
};

/// Plain data, for the fatal latch.
struct PipeFault {
  Pipe pipe;  ///< without a fault: the kernel has changed it by itself
  TaskId task = no_task;
  uint32_t kernel = 0;  ///< its id

  [[nodiscard]] bool is_of_changes() const { return pipe.control.fault == PTOPipeFault::NONE; }
};

/// The first pipe among the arguments that TPUSH, TPOP and TFREE do not leave so, or else that has
/// a fault. Requires a task whose pipes were noted (pipe_trace.hpp), and whose kernel has returned.
[[nodiscard]] std::optional<PipeFault> find_pipe_fault(const TaskArguments& arguments, TaskId task);

/// pipe_overflow or pipe_underflow; kernel_overran if there is none.
[[nodiscard]] ErrorCode pipe_fault_code(PTOPipeFault fault);
/// Names pipe, kernel, task and capacity, and what to do.
[[nodiscard]] RunError describe_pipe_fault(const PipeFault& fault);

}  // namespace pto2
