/// What a scheduler does about a core that does not answer.
#pragma once

#include "runtime/scheduler/scheduler_desk.hpp"

namespace pto2 {

/// Gives the run up if a core of the scheduler is lost, for the task that it has, which never
/// completes. Requires P::has_lost_core().
template <executors::ExecutionPolicy P, template <class> class F>
void give_up_lost(SchedulerDesk<P, F>& desk) {
  desk.cores.busy().for_each([&desk](CoreId core) {
    if (!desk.state.cores[core.value].is_lost()) return;
    KernelFault fault;
    fault.set_lost(desk.state.config.chip.name_of(core).c_str(),
                   desk.describe(desk.cores.task_of(core)).id);
    desk.state.give_up(fault);
  });
}

}  // namespace pto2
