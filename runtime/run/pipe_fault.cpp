#include "runtime/run/pipe_fault.hpp"

#include <fmt/core.h>

namespace pto2 {

namespace {

std::string what_happened(const PTOPipe& pipe) {
  switch (pipe.fault) {
    case PTOPipeFault::FULL:
      return fmt::format(
          "a push to a full pipe, whose {} slots are in use by {} entries that wait "
          "and {} that are popped and not freed",
          pipe.capacity, pipe.pushed - pipe.popped, pipe.popped - pipe.freed);
    case PTOPipeFault::OVERSIZED:
      return fmt::format("a push of {} bytes to a pipe of {} slots of {} bytes", pipe.bytes,
                         pipe.capacity, pipe.slot_bytes);
    case PTOPipeFault::EMPTY:
      return fmt::format(
          "a pop from an empty pipe of capacity {}, after {} pushes and as many pops",
          pipe.capacity, pipe.pushed);
    case PTOPipeFault::NOT_HELD:
      return fmt::format(
          "a TFREE without an entry that is popped and not freed, in a pipe of "
          "capacity {}, after {} pops",
          pipe.capacity, pipe.popped);
    case PTOPipeFault::NONE:
      break;
  }
  return "nothing";
}

const char* what_to_do(PTOPipeFault fault) {
  switch (fault) {
    case PTOPipeFault::FULL:
      return "make the pipe with a larger capacity, or submit tasks that pop and TFREE between "
             "those that push";
    case PTOPipeFault::OVERSIZED:
      return "make the pipe with larger slots, or push the data in several entries";
    case PTOPipeFault::EMPTY:
      return "submit the tasks that push before those that pop, and pop no more than they push; "
             "each group has a pipe of its own for a tag";
    case PTOPipeFault::NOT_HELD:
      return "call TFREE once for each TPOP";
    case PTOPipeFault::NONE:
      break;
  }
  return "";
}

}  // namespace

std::optional<PipeFault> find_pipe_fault(const TaskArguments& arguments, TaskId task) {
  for (uint32_t i = 0; i < max_params; ++i) {
    if ((arguments.call().pipes >> i & 1) == 0) continue;
    // Not from the values, which are the kernel's to change.
    const auto* const pipe = reinterpret_cast<const Pipe*>(arguments.tensor(i).address);
    if (pipe->control.fault != PTOPipeFault::NONE)
      return PipeFault{*pipe, task, arguments.call().kernel};
  }
  return std::nullopt;
}

ErrorCode pipe_fault_code(PTOPipeFault fault) {
  const bool push = fault == PTOPipeFault::FULL || fault == PTOPipeFault::OVERSIZED;
  return push ? ErrorCode::pipe_overflow : ErrorCode::pipe_underflow;
}

RunError describe_pipe_fault(const PipeFault& fault) {
  const PTOPipe& pipe = fault.pipe.control;
  return {pipe_fault_code(pipe.fault),
          fmt::format("pipe (group {}, tag {}), kernel {}, task {} of ring {}: {}",
                      fault.pipe.group, fault.pipe.tag, fault.kernel, local_of(fault.task),
                      ring_of(fault.task).value, what_happened(pipe)),
          what_to_do(pipe.fault)};
}

}  // namespace pto2
