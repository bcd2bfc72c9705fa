#include "runtime/record/outcome.hpp"

#include <algorithm>

namespace pto2 {
namespace {

using E = ErrorCode;

constexpr OutcomeRow rows[] = {
    {E::ok, "ok", Cause::none, {}, "every task has run, and everything was given back", "", false},
    {E::flow_control_deadlock, "flow_control_deadlock", Cause::deadlock, Resource::task_ring,
     "no slot of the task ring can become free", "raise --window, or nest scopes"},
    {E::heap_ring_deadlock, "heap_ring_deadlock", Cause::deadlock, Resource::heap_ring,
     "no bytes of the heap ring can become free", "raise --heap, or nest scopes"},
    {E::dependency_pool_overflow, "dependency_pool_overflow", Cause::deadlock,
     Resource::dependency_pool, "no nodes of the dependency pool can become free",
     "raise --dep-pool, or nest scopes"},
    {E::tensormap_overflow, "tensormap_overflow", Cause::deadlock, Resource::tensormap_pool,
     "no entries of the TensorMap can become free", "raise --tensormap-pool, or nest scopes"},
    {E::bad_submission,
     "bad_submission",
     Cause::call,
     {},
     "the orchestration made a call that cannot be served",
     "correct the call that the message names"},
    {E::orchestration_threw,
     "orchestration_threw",
     Cause::call,
     {},
     "an exception left the orchestration",
     "catch it in aicpu_orchestration_entry"},
    {E::not_drained,
     "not_drained",
     Cause::runtime,
     {},
     "a clean run left something behind, which is a bug of the runtime",
     "report it with the command line",
     false},
    {E::cluster_deadlock, "cluster_deadlock", Cause::deadlock, Resource::clusters,
     "no cluster can become free", "free clusters earlier, or raise --blocks"},
    {E::pipe_overflow,
     "pipe_overflow",
     Cause::kernel,
     {},
     "a kernel pushed more than a pipe holds",
     "give the pipe more or larger slots, or free entries earlier"},
    {E::pipe_underflow,
     "pipe_underflow",
     Cause::kernel,
     {},
     "a kernel popped more than a pipe held",
     "submit the kernels that push before those that pop"},
    {E::not_a_pipe,
     "not_a_pipe",
     Cause::kernel,
     {},
     "a kernel used another argument as a pipe",
     "give TPUSH, TPOP and TFREE the number of a pipe parameter"},
    {E::kernel_threw,
     "kernel_threw",
     Cause::kernel,
     {},
     "an exception left a kernel",
     "catch it in kernel_entry"},
    {E::crashed,
     "crashed",
     Cause::kernel,
     {},
     "a kernel or the orchestration crashed its process",
     "run it under a sanitizer or a debugger: what crashed is not the runtime's",
     true,
     false},
    {E::scheduler_timeout,
     "scheduler_timeout",
     Cause::kernel,
     {},
     "a kernel did not return",
     "if the kernel is only slow, give --deadline more seconds, or 0 for no end"},
    {E::orchestration_failed,
     "orchestration_failed",
     Cause::call,
     {},
     "the orchestration gave up, with a code and a text of its own",
     "see where it calls pto2_rt_fail"},
    {E::interrupted,
     "interrupted",
     Cause::caller,
     {},
     "a signal came before the end",
     "launch it again for the rest"},
    {E::core_lost,
     "core_lost",
     Cause::chip,
     {},
     "a core did not answer, and had a task",
     "reset the chip and launch again; if the same core is lost again, leave its block out"},
    {E::kernel_overran,
     "kernel_overran",
     Cause::kernel,
     {},
     "a kernel wrote where it must not",
     "compare the indices of the kernel with the shapes and strides of its parameters"},
    {E::bad_output,
     "bad_output",
     Cause::kernel,
     {},
     "a kernel left an output unwritten, or made NaN of numbers",
     "write all of each output, and see what the kernel makes of its numbers"},
    {E::orchestration_timeout,
     "orchestration_timeout",
     Cause::call,
     {},
     "the orchestration neither returned nor called the runtime",
     "if it is only slow, give --deadline more seconds, or 0 for no end"},
    {E::wrong_thread,
     "wrong_thread",
     Cause::call,
     {},
     "the runtime was called on another thread than the orchestration's, or by its configuration",
     "call it from the thread of aicpu_orchestration_entry alone, and never from a kernel",
     false},
    {E::exited,
     "exited",
     Cause::kernel,
     {},
     "a kernel or the orchestration ended its process",
     "return from kernel_entry or aicpu_orchestration_entry instead",
     true,
     false},
    {E::runtime_crashed,
     "runtime_crashed",
     Cause::runtime,
     {},
     "the process of the run crashed outside all calls of the user's code: on a thread that an "
     "image "
     "has started, or by a bug of the runtime",
     "look for threads that the images start and, with --guard, for kernels "
     "that write where they must not; if there are none, report it with the command line",
     true,
     false},
    {E::killed,
     "killed",
     Cause::caller,
     {},
     "a signal that tells of no crash ended the process of the run",
     "see who sent it",
     true,
     false},
};

}  // namespace

std::span<const OutcomeRow> outcome_table() {
  return rows;
}

const OutcomeRow& row_of(ErrorCode code) {
  return rows[static_cast<std::size_t>(code)];
}

const OutcomeRow* outcome_called(std::string_view name) {
  const auto* const found = std::ranges::find(rows, name, &OutcomeRow::name);
  return found == std::end(rows) ? nullptr : found;
}

ErrorCode deadlock_code(Resource resource) {
  return std::ranges::find(rows, resource, &OutcomeRow::resource)->code;
}

std::vector<std::string> fault_names() {
  std::vector<std::string> names;
  for (const OutcomeRow& row : rows) {
    const bool is_fault =
        row.cause == Cause::deadlock || row.cause == Cause::call || row.cause == Cause::kernel;
    if (is_fault) names.emplace_back(row.name);
  }
  return names;
}

}  // namespace pto2
