/// The end of a simulated run in which a core was lost with a task.
#pragma once

#include <string>
#include <vector>

#include "runtime/device/run_result.hpp"
#include "runtime/executors/chip_fault.hpp"

namespace pto2::stress {

/// True: the run has come to `fault`, which loses a core. The core has a task then that never
/// completes, so that the run can end in core_lost alone.
[[nodiscard]] inline bool has_lost_core(const executors::ChipFault& fault,
                                        const RunResult& result) {
  return executors::loses_core(fault.kind) && result.fault_reached;
}

/// Nobody knows whether the run has come to `fault`, which would lose a core: it was given up, and
/// has no result.
[[nodiscard]] inline bool may_have_lost_core(const executors::ChipFault& fault,
                                             const RunResult& result) {
  return executors::loses_core(fault.kind) && result.points == 0;
}

/// What is wrong with the end of such a run: it must be core_lost, and name the core and, as far
/// as the record tells, the task that was given to it last. Empty: nothing.
[[nodiscard]] std::vector<std::string> loss_problems(const executors::ChipFault& fault,
                                                     const RunResult& result);

}  // namespace pto2::stress
