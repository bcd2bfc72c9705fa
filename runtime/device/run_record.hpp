/// The record of a run: event logs that are made before it, and the result that is read from its
/// logical threads after it. For every policy, so that a run on the model checker is judged by the
/// rules of all others.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <utility>

#include "runtime/chip/ai_core.hpp"
#include "runtime/device/run_result.hpp"
#include "runtime/device/thread_names.hpp"
#include "runtime/orchestrator/orchestrator.hpp"
#include "runtime/scheduler/scheduler.hpp"

namespace pto2 {

/// Before the run: gives each logical thread a log of `state.config.events` events.
template <executors::ExecutionPolicy P, template <class> class F>
void enable_events(RunState<P, F>& state, Orchestrator<P, F>& orchestrator,
                   std::span<const std::unique_ptr<Scheduler<P, F>>> schedulers) {
  const std::size_t capacity = state.config.events;
  orchestrator.log() = EventLog(orchestrator_name, capacity);
  orchestrator.task_trace() = TaskTrace(capacity);
  for (uint32_t s = 0; s < schedulers.size(); ++s) {
    schedulers[s]->log() = EventLog(scheduler_name(s), capacity);
  }
  for (uint32_t i = 0; i < state.cores.size(); ++i) {
    state.cores[i].log() = EventLog(state.config.chip.name_of(CoreId(i)), capacity);
  }
}

/// Adds what the orchestrator, one scheduler or one core counted.
inline void add(RunResult& result, const OrchestratorCounts& counts) {
  result.tasks += counts.tasks;
  result.edges_linked += counts.edges_linked;
  result.edges_early += counts.edges_early;
  result.holds += counts.holds;
  result.waits += counts.waits;
  result.wait_ticks += counts.wait_ticks;
  result.cas_retries += counts.cas_retries;
  result.peak_window = std::max(result.peak_window, counts.peak_window);
  result.slots_recycled += counts.slots_recycled;
  result.open_scopes += counts.open_scopes;
}
inline void add(RunResult& result, const CoreCounts& counts) {
  result.acks += counts.acks;
  result.fins += counts.fins;
  result.dispatches += counts.claims;
  result.kernel_ticks += counts.kernel_ticks;
}
inline void add(RunResult& result, const SchedulerCounts& counts) {
  result.dispatches += counts.dispatches;
  result.loans += counts.loans;
  result.completions += counts.completions;
  result.steals += counts.steals;
  result.cas_retries += counts.cas_retries;
  result.scheduler_parks += counts.parks;
  add(result, counts.own_tasks);
}

/// The record of a run on `config`: what `result` says, the events of the logs of all logical
/// threads (the orchestrator, the schedulers, the cores), and the `tasks` of the orchestrator's
/// table (task_trace.hpp). O(n log m) for n events of m threads. Throws std::bad_alloc, also if a
/// log had no memory for its events: what is left of it would be taken for a wrong run.
[[nodiscard]] Record make_record(const DeviceConfig& config, const RunResult& result,
                                 std::span<const EventLog* const> logs,
                                 std::vector<TaskRecord> tasks);

/// After everything else is known of the run: adds its record to the result, if it was recorded.
template <executors::ExecutionPolicy P, template <class> class F>
void add_record(RunState<P, F>& state, Orchestrator<P, F>& orchestrator,
                std::span<const std::unique_ptr<Scheduler<P, F>>> schedulers, RunResult& result) {
  if (state.config.events == 0) return;
  std::vector<const EventLog*> logs{&orchestrator.log()};
  for (const auto& scheduler : schedulers) logs.push_back(&scheduler->log());
  for (auto& core : state.cores) logs.push_back(&core.log());
  result.record =
      make_record(state.config, result, logs, std::move(orchestrator.task_trace().tasks()));
}

/// After the run: its error, and what its threads counted.
template <executors::ExecutionPolicy P, template <class> class F>
[[nodiscard]] RunResult collect(RunState<P, F>& state, Orchestrator<P, F>& orchestrator,
                                std::span<const std::unique_ptr<Scheduler<P, F>>> schedulers) {
  RunResult result;
  result.error = orchestrator.error();
  result.replayed = orchestrator.graph().has_replayed();
  add(result, orchestrator.counts());
  for (const auto& scheduler : schedulers) {
    add(result, scheduler->counts());
  }
  for (auto& core : state.cores) {
    add(result, core.counts());
  }
  return result;
}

}  // namespace pto2
