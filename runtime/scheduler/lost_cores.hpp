/// What a scheduler does about a core that does not answer.
#pragma once

#include "runtime/run/run_state.hpp"

namespace pto2 {

/// Gives the run up if one of the caller's cores is lost, for the task that it has, which never
/// completes. `cores` are by type, with those that have a task in `busy`; `running` has the task of
/// each. Requires P::has_lost_core().
template <executors::ExecutionPolicy P, template <class> class F, class CoresOfTypes>
void give_up_lost(RunState<P, F>& state, const CoresOfTypes& cores,
                  const std::vector<SlotId>& running) {
  for (const auto& of_type : cores) {
    of_type.busy.for_each([&](CoreId core) {
      if (!state.cores[core.value].is_lost()) return;
      KernelFault fault;
      fault.set_lost(state.config.chip.name_of(core).c_str(),
                     state.life.slot(running[core.value]).descriptor.read().id);
      state.give_up(fault);
    });
  }
}

}  // namespace pto2
