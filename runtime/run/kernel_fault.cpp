#include "runtime/run/kernel_fault.hpp"

#include <fmt/core.h>

#include <string>

#include "runtime/executors/image_names.hpp"
#include "runtime/run/guard_report.hpp"

namespace pto2 {

namespace {

std::string who(const KernelFault& fault, std::span<const KernelEntry> kernels) {
  const uint32_t number = fault.call.kernel;
  return fmt::format("{}, task {} of ring {}",
                     kernel_text(number, number < kernels.size() ? kernels[number] : nullptr),
                     local_of(fault.task), ring_of(fault.task).value);
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

RunError describe_misuse(const KernelFault& fault, const std::string& who) {
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
  return {ErrorCode::not_a_pipe, fmt::format("{}: {} of {}, {}", who, verb_name(verb), place, what),
          "give TPUSH, TPOP and TFREE the number of a parameter that make_pipe_out_param or "
          "make_pipe_in_param made; the first parameter is argument 0"};
}

RunError describe_exception(const KernelFault& fault, const std::string& who) {
  const std::string what(fault.what);
  return {ErrorCode::kernel_threw,
          fmt::format("{}: an exception{} left the kernel{}", who,
                      what.empty() ? " that does not say what it is" : "",
                      what.empty() ? "" : ": " + what),
          "mend what it tells of, or catch it in kernel_entry: nobody above it can"};
}

RunError describe_loss(const KernelFault& fault) {
  return {ErrorCode::core_lost,
          fmt::format("core {} does not answer: it was given task {} of ring {}, and has not "
                      "reported its end",
                      fault.what, local_of(fault.task), ring_of(fault.task).value),
          row_of(ErrorCode::core_lost).hint};
}

RunError describe_stuck(const KernelFault& fault, const std::string& who) {
  return {ErrorCode::scheduler_timeout, fmt::format("{}, {}", who, fault.what),
          row_of(ErrorCode::scheduler_timeout).hint};
}

}  // namespace

ErrorCode kernel_fault_code(const KernelFault& fault) {
  switch (fault.kind) {
    case KernelFault::Kind::threw:
      return ErrorCode::kernel_threw;
    case KernelFault::Kind::lost:
      return ErrorCode::core_lost;
    case KernelFault::Kind::guarded:
      return guard_code(fault.found);
    case KernelFault::Kind::stuck:
      return ErrorCode::scheduler_timeout;
    case KernelFault::Kind::starved:
      return no_memory;
    case KernelFault::Kind::misuse:
    case KernelFault::Kind::given_up:
    case KernelFault::Kind::none:
      break;
  }
  return ErrorCode::not_a_pipe;
}

RunError describe_kernel_fault(const KernelFault& fault, const Chip& chip,
                               std::span<const KernelEntry> kernels) {
  switch (fault.kind) {
    case KernelFault::Kind::threw:
      return describe_exception(fault, who(fault, kernels));
    case KernelFault::Kind::lost:
      return describe_loss(fault);
    case KernelFault::Kind::guarded:
      return describe_finding(fault.found, chip);
    case KernelFault::Kind::stuck:
      return describe_stuck(fault, who(fault, kernels));
    case KernelFault::Kind::starved:  // no_memory, which is not described
    case KernelFault::Kind::misuse:
    case KernelFault::Kind::given_up:
    case KernelFault::Kind::none:
      break;
  }
  return describe_misuse(fault, who(fault, kernels));
}

}  // namespace pto2
