/// What the user is told of what a guard has found.
#pragma once

#include "runtime/chip/chip.hpp"
#include "runtime/chip/kernel_guard.hpp"
#include "runtime/run/error.hpp"

namespace pto2 {

/// kernel_overran, bad_output, or no_memory.
[[nodiscard]] ErrorCode guard_code(const GuardFinding& found);
/// Names kernel, task, worker, parameter and place. Requires another code than no_memory.
[[nodiscard]] RunError describe_finding(const GuardFinding& found, const Chip& chip);

}  // namespace pto2
