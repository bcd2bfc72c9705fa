/// The definitions behind scheduler.hpp of block tasks, which are lent to cores and run in parts,
/// and of pinned ones, which run on the cores of one cluster.
#pragma once

#include "runtime/scheduler/scheduler.hpp"

namespace pto2 {

/// Of a run that is given up: a core has a share of the task, if that is an open block task. It
/// ends the part that it runs, and claims no other.
template <executors::ExecutionPolicy P, template <class> class F>
void Scheduler<P, F>::close_block(SlotId task) {
  const TaskDescriptor descriptor = describe(task);
  if (descriptor.is_block && !descriptor.is_pinned()) state_.block(task).parts.close();
}

/// True: the kernel broke the bound of a pipe. The run is given up, and the task never completes,
/// so that nobody takes what it left in the pipe. PI-I1 makes the pipe its own until then.
template <executors::ExecutionPolicy P, template <class> class F>
[[gnu::noinline]] bool Scheduler<P, F>::has_broken_pipe(SlotId task, TaskId id) {
  std::optional<PipeFault> fault;
  {
    const auto arguments = state_.arguments(task).reading();
    if (log_.enabled()) record_pipes(*arguments, id, P::now(), log_);
    fault = find_pipe_fault(*arguments, id);
  }
  if (!fault) return false;
  state_.give_up(pipe_fault_code(fault->pipe.control.fault),
                 {.submitted = 0, .pipe = *fault, .kernel = {}});
  return true;
}

/// Of a pinned task, or a share of a block task. It leaves the group of the cluster before the task
/// counts as finished: CP-I4. True: the task has ended.
template <executors::ExecutionPolicy P, template <class> class F>
[[gnu::noinline]] bool Scheduler<P, F>::end_share(WorkerId worker) {
  const SlotId task = running_[worker.value];
  const TaskDescriptor descriptor = describe(task);
  if (descriptor.has_pipes && has_broken_pipe(task, descriptor.id)) return false;
  if (descriptor.is_pinned()) {
    state_.leave_cluster(state_.config.chip.place_of(worker).cluster, log_);
  }
  return !descriptor.is_block || state_.block(task).parts.give_back();
}

/// Pinned tasks come first: their cores alone can run them.
template <executors::ExecutionPolicy P, template <class> class F>
bool Scheduler<P, F>::dispatch_pinned() {
  const auto link_of = [this](SlotId task) -> auto& {
    return state_.life.slot(task).pinned_link;
  };
  inbox_.take_all(link_of, [this](SlotId task) {
    const TaskDescriptor descriptor = describe(task);
    // Without events, too: a trace changes no seeded schedule.
    if (descriptor.has_pipes) note_pipes(*state_.arguments(task).reading());
    if (descriptor.is_block) {
      take_pinned_parts(task, descriptor.type);
    } else {
      pinned_.put(descriptor.cluster_id(), descriptor.type, task);
    }
  });
  bool progress = false;
  pinned_.for_each_waiting([&](ClusterId cluster, CoreType type, SlotId task, uint32_t part) {
    const bool dispatched = dispatch_to_cluster(cluster, type, task, part);
    progress |= dispatched;
    return dispatched;
  });
  return progress;
}

/// The ticket of a block task whose parts are pinned goes from owner to owner, in turn, until each
/// has taken the parts of its clusters. BP-I1, BP-I4.
template <executors::ExecutionPolicy P, template <class> class F>
void Scheduler<P, F>::take_pinned_parts(SlotId task, CoreType type) {
  const Chip& chip = state_.config.chip;
  BlockState<P>& block = state_.block(task);
  const BlockShape shape = block.shape.read();
  uint32_t own = 0;
  uint32_t next = chip.schedulers;  // how many schedulers further the next owner is
  ClusterId next_cluster;
  for (uint32_t part = 0; part < block.parts.size(); ++part) {
    const ClusterId cluster = shape.clusters[part];
    const SchedulerId owner = chip.scheduler_of(cluster);
    if (owner == id_) {
      pinned_.put(cluster, type, task, part);
      ++own;
      continue;
    }
    const uint32_t distance = (owner.value + chip.schedulers - id_.value) % chip.schedulers;
    if (distance >= next) continue;
    next = distance;
    next_cluster = cluster;
  }
  if (!block.parts.take(own)) state_.push_pinned(task, next_cluster);
}

/// False: no core of the cluster is idle.
template <executors::ExecutionPolicy P, template <class> class F>
bool Scheduler<P, F>::dispatch_to_cluster(ClusterId cluster, CoreType type, SlotId task,
                                          uint32_t part) {
  const Chip& chip = state_.config.chip;
  Cores& cores = cores_[static_cast<uint32_t>(type)];
  for (uint32_t i = 0; i < chip.cores_per_cluster(type); ++i) {
    const CoreId core = chip.core_at({type, cluster, i});
    if (!cores.idle.contains(core)) continue;
    cores.idle.erase(core);
    cores.busy.insert(core);
    send_pinned(core, task, part);
    // Somebody may have woken this scheduler for the sake of that core.
    cores.more = true;
    return true;
  }
  return false;
}

/// A block task is lent to `core`, and to others that are idle: to no more than can run at once,
/// because the first of them may claim all parts before another begins. True: they may need help,
/// and the ticket was passed on. BP-P2.
template <executors::ExecutionPolicy P, template <class> class F>
[[gnu::noinline]] bool Scheduler<P, F>::lend(CoreId core, SlotId task, CoreType type) {
  Cores& cores = cores_[static_cast<uint32_t>(type)];
  BlockState<P>& block = state_.block(task);
  const uint32_t unclaimed = block.parts.unclaimed();
  const uint32_t number = std::min({unclaimed, 1 + cores.idle.size(), P::parallelism()});
  if (number == 0 || !block.parts.lend(number)) {
    cores.busy.erase(core);
    cores.idle.insert(core);
    give_up_ticket(task);
    // Not later: a kernel may come first, of a task that runs here.
    state_.orchestrator_bell.ring();
    return false;
  }
  const TaskDescriptor descriptor = describe(task);
  BlockShare<P> share;
  share.parts = &block.parts;
  share.params = block.shape.read().params;
  const bool pass_on = number < unclaimed;
  running_[core.value] = task;  // before memory may be lacking
  // The shares of the cores that come next keep the slot.
  if (pass_on) {
    push_ticket(static_cast<uint32_t>(type), task);
  } else {
    give_up_ticket(task);
  }
  for (uint32_t i = 0; i < number; ++i) {
    if (i != 0) {
      core = cores.idle.pop_lowest();
      cores.busy.insert(core);
    }
    ++counts_.loans;
    send(core, task, descriptor, share);
  }
  return pass_on;
}

/// A pinned task, or a part of it if it is a block task.
template <executors::ExecutionPolicy P, template <class> class F>
void Scheduler<P, F>::send_pinned(CoreId core, SlotId task, uint32_t part) {
  const TaskDescriptor descriptor = describe(task);
  BlockShare<P> share;
  if (descriptor.is_block) {
    BlockState<P>& block = state_.block(task);
    share = {&block.parts, part, block.shape.read().params};
  }
  ++counts_.dispatches;
  record<P>(log_, EventKind::dispatch, descriptor.id, core.value, static_cast<uint16_t>(part));
  send(core, task, descriptor, share);
}

/// The rest of a block task is for anybody. BP-I4.
template <executors::ExecutionPolicy P, template <class> class F>
void Scheduler<P, F>::push_ticket(uint32_t type, SlotId task) {
  cores_[type].backlog.push_back(task);
  scan_phase();
  if (!cores_[type].backlog.empty()) record<P>(log_, EventKind::backlog, describe(task).id);
}

/// Nobody else needs it. It counts as finished beside its task: while it is in a queue, the slot
/// may still become free.
template <executors::ExecutionPolicy P, template <class> class F>
void Scheduler<P, F>::give_up_ticket(SlotId task) {
  const TaskId id = describe(task).id;
  if (state_.life.drop_ticket(task)) {
    record<P>(log_, EventKind::consume, id);
    state_.advance(1u << ring_of(task).value, log_, counts_.cas_retries);
  }
  state_.finished[id_.value].add(1);
}

}  // namespace pto2
