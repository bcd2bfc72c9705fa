/// A launch on a simulation of weak memory: a library of its own, since nobody needs it to run
/// tasks.
#pragma once

#include "runtime/device/device.hpp"
#include "runtime/executors/weak_memory.hpp"

namespace pto2 {

/// As launch(), on the weak policy: its seed decides the schedule and what loads see. Throws
/// executors::SeededFailure for data races and broken invariants, too.
[[nodiscard]] RunResult launch_weak(const DeviceConfig& config,
                                    const executors::WeakOptions& options, const Launch& what);

}  // namespace pto2
