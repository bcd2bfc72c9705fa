/// What a run leaves behind, looked at when all its threads have returned.
///
/// A run that is given up stops in the middle of the graph: tasks are left in rings and queues, and
/// nobody completes what the cores still finished. Even so no verb of any structure is under way,
/// and each is as whole as after a clean run.
#pragma once

#include <fmt/format.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "runtime/run/error.hpp"
#include "runtime/run/run_state.hpp"

namespace pto2 {

/// True if the books of a ring agree with its watermark, and the words of the tasks alive are
/// such that the verbs of the life cycle can leave them behind. O(window).
template <executors::ExecutionPolicy P, template <class> class F>
[[nodiscard]] bool is_whole(RunState<P, F>& state, RingId number) {
  const auto& ring = state.admission.ring(number);
  const uint64_t next = ring.tasks.next();
  const uint64_t alive = ring.watermark.observe();
  if (!ring.watermark.invariant_holds(next) || !ring.invariant_holds(alive)) return false;
  for (uint64_t local = alive; local < next; ++local) {
    const TaskId id = make_id(number, local);
    const auto& slot = state.life.slot_of(id);
    if (!slot.fan_out.invariant_holds() || !slot.fan_in.invariant_holds()) return false;
    if (slot.descriptor.read().is_block &&
        !state.block(state.life.slot_id(id)).parts.invariant_holds())
      return false;
    if (slot.fan_out.phase(id) != Phase::initial && slot.fan_in.pending() != 0) return false;
  }
  return true;
}

/// Adds the tasks alive of each phase, and those that are reclaimed, to `phases`. O(window).
template <executors::ExecutionPolicy P, template <class> class F>
void count_phases(RunState<P, F>& state, std::array<uint64_t, 4>& phases) {
  for (uint32_t r = 0; r < state.rings.size(); ++r) {
    const RingId ring(r);
    const uint64_t alive = state.admission.ring(ring).watermark.observe();
    phases[static_cast<uint32_t>(Phase::consumed)] += alive;
    for (uint64_t local = alive; local < state.admission.ring(ring).tasks.next(); ++local) {
      ++phases[static_cast<uint32_t>(state.life.phase(make_id(ring, local)))];
    }
  }
}

/// Names the structures that are not whole after a run of `submitted` tasks that ended in `error`;
/// `orchestrator` answers for its own. Empty after any run, unless the runtime is broken.
/// O(window).
template <executors::ExecutionPolicy P, template <class> class F, class Orchestrator>
[[nodiscard]] std::vector<std::string> damaged_structures(RunState<P, F>& state,
                                                          const Orchestrator& orchestrator,
                                                          uint64_t submitted, ErrorCode error) {
  std::vector<std::string> damaged;
  const auto expect = [&](bool whole, std::string name) {
    if (!whole) damaged.push_back(std::move(name));
  };
  uint64_t taken = 0;
  for (uint32_t r = 0; r < state.rings.size(); ++r) {
    const RingId ring(r);
    if (!is_whole(state, ring)) damaged.push_back("ring " + std::to_string(r));
    taken += state.admission.ring(ring).tasks.next();
  }
  expect(taken == submitted, "count of submissions");
  for (uint32_t type = 0; type < core_types; ++type) {
    const auto core_type = static_cast<CoreType>(type);
    const std::string tasks = std::string(" for ") + core_type_name(core_type) + " tasks";
    const bool unused = !state.config.chip.runs(core_type);
    expect(unused || state.ready[type].invariant_holds(), "ready queues" + tasks);
    expect(state.parked[type].empty(), "parked schedulers" + tasks);
  }
  for (uint32_t core = 0; core < state.cores.size(); ++core) {
    if (state.cores[core].mailbox().invariant_holds() && state.cores[core].has_left()) continue;
    damaged.push_back("mailbox of " + state.config.chip.name_of(CoreId(core)));
  }
  const auto& startup = state.startup;
  expect(startup.invariant_holds() && startup.orch_pointers_ready.is_set() &&
             startup.orchestrator_done.is_set() && startup.shutdown.is_set(),
         "start-up flags");
  expect(state.fatal.invariant_holds() && state.fatal.code() == static_cast<int32_t>(error) &&
             (!state.fatal.is_set() || is_kernel_fault(error) || error == ErrorCode::interrupted ||
              state.fatal.details().submitted == submitted),
         "fatal latch");
  expect(state.stall.invariant_holds(submitted + orchestrator.tickets()), "stall detector");
  expect(state.life.invariant_holds(), "life cycle");
  expect(state.clusters.invariant_holds(), "cluster pool");
  expect(orchestrator.invariant_holds(), "TensorMap");
  return damaged;
}

/// Says what is left to do in a run of `submitted` tasks and tickets. Empty after a run that ended
/// well, unless the runtime is broken. Takes tasks out of the queues that are not empty.
template <executors::ExecutionPolicy P, template <class> class F>
[[nodiscard]] std::vector<std::string> leftovers(RunState<P, F>& state, uint64_t submitted) {
  std::vector<std::string> left;
  for (uint32_t r = 0; r < state.rings.size(); ++r) {
    const RingId ring(r);
    const uint64_t alive = state.admission.ring(ring).watermark.observe();
    if (alive != state.admission.ring(ring).tasks.next()) {
      left.push_back("task " + std::to_string(alive) + " of ring " + std::to_string(r) +
                     " is not reclaimed");
    }
  }
  for (uint32_t type = 0; type < core_types; ++type) {
    const auto core_type = static_cast<CoreType>(type);
    ReadyTask task;
    if (!state.config.chip.runs(core_type) || !state.ready[type].pop(0, task)) continue;
    left.push_back(std::string("a ") + core_type_name(core_type) +
                   " task is left in a ready queue");
  }
  for (const auto& inbox : state.inboxes) {
    if (!inbox.empty()) left.emplace_back("a pinned task is left in an inbox");
  }
  if (!state.clusters.all_free()) left.emplace_back("a group holds a cluster");
  if (!state.stall.quiescent(submitted)) left.push_back("tasks have not finished");
  return left;
}

/// Says in how a run ended what it has left behind and damaged, which is a bug of the runtime. That
/// is the end of a run that was right but for it; any other keeps its own.
inline void add_findings(RunError& error, std::vector<std::string> left,
                         const std::vector<std::string>& damaged) {
  for (const std::string& name : damaged) left.push_back("damaged: " + name);
  if (left.empty()) return;
  const std::string found = fmt::format("{}", fmt::join(left, "; "));
  if (error.code == ErrorCode::ok) {
    error = {ErrorCode::not_drained, "after a clean run: " + found,
             "this is a bug of the runtime: report it with the command line"};
  } else {
    error.message += "; besides, " + found;
    error.hint += "; that is a bug of the runtime: report it with the command line";
  }
}

}  // namespace pto2
