/// What the rooms of a scheduler share: the run, its cores, what it counts and logs.
#pragma once

#include "runtime/run/run_state.hpp"
#include "runtime/scheduler/own_cores.hpp"

namespace pto2 {

/// What a scheduler counted. Read after the run.
struct SchedulerCounts {
  uint64_t dispatches = 0;
  uint64_t loans = 0;
  uint64_t completions = 0;
  uint64_t steals = 0;
  uint64_t cas_retries = 0;
  uint64_t parks = 0;
  CoreCounts own_tasks = {};  ///< of type AI_CPU
};

/// The type of the tasks that a scheduler runs itself.
inline constexpr auto own_type = static_cast<uint32_t>(CoreType::ai_cpu);

template <executors::ExecutionPolicy P, template <class> class F>
struct SchedulerDesk {
  using State = RunState<P, F>;

  /// Of scheduler `number` of `run`, which outlives it.
  SchedulerDesk(State& run, SchedulerId number)
      : state(run),
        id(number),
        cores(run.config.chip, number),
        rare_types(run.config.chip.accelerators != 0) {}
  SchedulerDesk(const SchedulerDesk&) = delete;
  SchedulerDesk& operator=(const SchedulerDesk&) = delete;

  [[nodiscard]] TaskDescriptor describe(SlotId task) {
    return state.life.slot(task).descriptor.read();
  }
  [[nodiscard]] TaskCall<P> call_of(SlotId task, const TaskDescriptor& descriptor) {
    return {{descriptor.id, descriptor.kernel, descriptor.arguments},
            CellAccess<P, TaskArguments>(state.arguments(task))};
  }
  /// Hands a task, or a share of it, to a core that was taken for it.
  void send(CoreId core, SlotId task, const TaskDescriptor& descriptor, BlockShare<P> share) {
    cores.note(core, task);
    state.cores[core.value].dispatch({call_of(task, descriptor), share});
  }

  /// Takes note of it if tasks of rare types may come by now.
  void learn_rare_types() {
    if (!rare_types) rare_types = state.rare_types.is_set();
  }
  /// True if a ready task of this type could start.
  [[nodiscard]] bool can_take(uint32_t type) const {
    return !cores[type].idle.empty() || type == own_type;
  }
  /// Calls visit(type) for the types of the cores in use. There are two in most runs, so that a
  /// third costs those a branch.
  template <class Visitor>
  void for_each_core_type(Visitor&& visit) const {
    visit(static_cast<uint32_t>(CoreType::cube));
    visit(static_cast<uint32_t>(CoreType::vector));
    if (rare_types) [[unlikely]]
      visit(static_cast<uint32_t>(CoreType::accelerator));
  }
  /// Calls visit(type) for all types in use.
  template <class Visitor>
  void for_each_type(Visitor&& visit) const {
    for_each_core_type(visit);
    if (rare_types) [[unlikely]]
      visit(own_type);
  }

  State& state;
  const SchedulerId id;
  OwnCores cores;
  SchedulerCounts counts;
  EventLog log;
  bool rare_types;  ///< tasks of type ai_cpu or accelerator may come
};

}  // namespace pto2
