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

const char* verb_name(PTOPipeVerb verb) {
  switch (verb) {
    case PTOPipeVerb::PUSH:
      return "TPUSH";
    case PTOPipeVerb::POP:
      return "TPOP";
    case PTOPipeVerb::FREE:
      return "TFREE";
    case PTOPipeVerb::NONE:
      break;
  }
  return "nothing";
}

}  // namespace

std::optional<PipeFault> find_pipe_fault(const TaskArguments& arguments, TaskId task) {
  for (uint32_t i = 0; i < max_params; ++i) {
    if ((arguments.call.pipes >> i & 1) == 0) continue;
    // Not from `args`, which are the kernel's to change.
    const auto* const pipe = reinterpret_cast<const Pipe*>(arguments.tensors[i].address);
    if (pipe->control.fault != PTOPipeFault::NONE)
      return PipeFault{*pipe, task, arguments.call.kernel};
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

RunError describe_argument_fault(const ArgumentFault& fault) {
  constexpr uint32_t argument_bits = 6;
  const uint32_t argument = fault.call.misuse & ((1U << argument_bits) - 1);
  const auto verb = static_cast<PTOPipeVerb>(fault.call.misuse >> argument_bits);
  const std::string place =
      argument == pto_max_args
          ? fmt::format("an argument that is none of 0 to {}", pto_max_args - 1)
          : fmt::format("argument {}", argument);
  const std::string what = argument < fault.call.params
                               ? "which is no pipe"
                               : fmt::format("but the task has {} parameters", fault.call.params);
  return {
      ErrorCode::not_a_pipe,
      fmt::format("kernel {}, task {} of ring {}: {} of {}, {}", fault.call.kernel,
                  local_of(fault.task), ring_of(fault.task).value, verb_name(verb), place, what),
      "give TPUSH, TPOP and TFREE the number of a parameter that make_pipe_out_param or "
      "make_pipe_in_param made; the first parameter is argument 0"};
}

}  // namespace pto2
