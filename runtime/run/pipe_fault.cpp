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
  return fmt::format(
      "its counts, sizes or fault were changed by other means than TPUSH, TPOP and TFREE: {} "
      "pushed, {} popped and {} freed in {} slots of {} bytes",
      pipe.pushed, pipe.popped, pipe.freed, pipe.capacity, pipe.slot_bytes);
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
  return "use a pipe through TPUSH, TPOP and TFREE alone, and look for what the kernel writes past "
         "its arrays";
}

/// The first pipe among the arguments of which this holds.
template <class Holds>
const Pipe* find_pipe(const TaskArguments& arguments, Holds&& holds) {
  for (uint32_t i = 0; i < max_params; ++i) {
    if ((arguments.call().pipes >> i & 1) == 0) continue;
    // Not from the values, which are the kernel's to change.
    const auto* const pipe = reinterpret_cast<const Pipe*>(arguments.tensor(i).address);
    if (holds(*pipe)) return pipe;
  }
  return nullptr;
}

/// Whether the verbs note this fault of a pipe that is so. They change nothing of it afterwards.
bool has_cause(const PTOPipe& pipe) {
  switch (pipe.fault) {
    case PTOPipeFault::NONE:
      return true;
    case PTOPipeFault::FULL:
      return pipe.pushed - pipe.freed == pipe.capacity;
    case PTOPipeFault::OVERSIZED:
      return pipe.bytes > pipe.slot_bytes;
    case PTOPipeFault::EMPTY:
      return pipe.popped == pipe.pushed;
    case PTOPipeFault::NOT_HELD:
      return pipe.freed == pipe.popped;
  }
  return false;  // none that there is
}

/// Whether the verbs could have made it what it is.
bool is_whole(const Pipe& pipe) {
  const PTOPipe& now = pipe.control;
  const PTOPipe& before = pipe.before;
  const bool is_where_it_was = now.slots == before.slots && now.stride == before.stride &&
                               now.capacity == before.capacity &&
                               now.slot_bytes == before.slot_bytes;
  const bool grows =
      now.pushed >= before.pushed && now.popped >= before.popped && now.freed >= before.freed;
  return is_where_it_was && grows && now.freed <= now.popped && now.popped <= now.pushed &&
         now.pushed - now.freed <= now.capacity && has_cause(now);
}

}  // namespace

std::optional<PipeFault> find_pipe_fault(const TaskArguments& arguments, TaskId task) {
  const uint32_t kernel = arguments.call().kernel;
  if (const Pipe* const pipe = find_pipe(arguments, [](const Pipe& p) { return !is_whole(p); })) {
    PipeFault fault{*pipe, task, kernel};
    fault.pipe.control.fault = PTOPipeFault::NONE;
    return fault;
  }
  const auto has_fault = [](const Pipe& p) { return p.control.fault != PTOPipeFault::NONE; };
  if (const Pipe* const pipe = find_pipe(arguments, has_fault)) {
    return PipeFault{*pipe, task, kernel};
  }
  return std::nullopt;
}

ErrorCode pipe_fault_code(PTOPipeFault fault) {
  if (fault == PTOPipeFault::NONE) return ErrorCode::kernel_overran;
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
