/// What may be found of a task that begins or ends.
#pragma once

#include "runtime/chip/kernel_guard.hpp"
#include "runtime/guard/guarded_task.hpp"
#include "runtime/guard/heap_buffers.hpp"
#include "runtime/guard/running_kernels.hpp"
#include "runtime/guard/unwritten_outputs.hpp"

namespace pto2::guard {

inline constexpr GuardFinding nothing_found{};

/// Of the red zones of all buffers that the task is given.
[[nodiscard]] GuardFinding check_zones(const GuardedTask& task, GuardFinding::When when);
/// The same when a kernel has run, and of what it may not write.
[[nodiscard]] GuardFinding check_writes(const WatchedKernel& kernel);

// What other kernels may write is not looked at.

/// When the first part of the task begins: where NaN is before it.
void note_values(GuardedTask& task, const WatchedKernel& kernel);
/// After the last part: whether there is NaN since.
[[nodiscard]] GuardFinding check_values(const WatchedKernel& kernel);
/// The same: adds the new outputs that are not written as a whole.
void note_unwritten(const WatchedKernel& kernel, uint32_t worker, UnwrittenOutputs& outputs);

/// Of a buffer that no kernel has any more.
[[nodiscard]] GuardFinding finding_of(const LateDamage& late);

}  // namespace pto2::guard
