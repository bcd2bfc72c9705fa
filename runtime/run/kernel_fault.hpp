/// What the user is told of a kernel, or of a core, after which the run could not go on.
#pragma once

#include <span>

#include "runtime/chip/ai_core.hpp"
#include "runtime/run/error.hpp"

namespace pto2 {

/// not_a_pipe, kernel_threw, core_lost, kernel_overran, bad_output, scheduler_timeout, or
/// no_memory. Requires fault.is_set().
[[nodiscard]] ErrorCode kernel_fault_code(const KernelFault& fault);
/// Names kernel, task and what it did: with which argument it called what, what it threw, what it
/// wrote where, or where it was left; or a lost core, and the task that it had. `kernels`, by id,
/// are those of the run. Requires another code than no_memory.
[[nodiscard]] RunError describe_kernel_fault(const KernelFault& fault, const Chip& chip,
                                             std::span<const KernelEntry> kernels = {});

}  // namespace pto2
