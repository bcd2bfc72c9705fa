/// The definitions behind scheduler.hpp.
#pragma once

#include "runtime/scheduler/lost_cores.hpp"
#include "runtime/scheduler/scheduler.hpp"

namespace pto2 {

template <executors::ExecutionPolicy P, template <class> class F>
Scheduler<P, F>::Scheduler(State& state, SchedulerId id)
    : state_(state),
      id_(id),
      shard_(id.value % state.config.shards),
      cores_{Cores(state.config.chip.cores()), Cores(state.config.chip.cores()), Cores(0),
             Cores(state.config.chip.cores())},
      inbox_(state.inboxes[id.value]),
      pinned_(state.config.chip, id),
      running_(state.config.chip.workers()),
      scratch_(std::make_unique_for_overwrite<TaskId[]>(state.config.dep_pool)),
      rare_types_(state.config.chip.accelerators != 0) {
  const Chip& chip = state.config.chip;
  chip.for_each_core_of(id, [&](CoreId core) {
    cores_[static_cast<uint32_t>(chip.type_of(core))].idle.insert(core);
  });
}

template <executors::ExecutionPolicy P, template <class> class F>
void Scheduler<P, F>::run() {
  start_up();
  const bool has_memory = has_memory_for([this] {
    const auto is_over = [this] { return state_.startup.shutdown.is_set(); };
    uint32_t vain_rounds = 0;
    while (!state_.fatal.is_set()) {
      bool progress = completion_phase();
      scan_phase();
      progress |= dispatch_phase();
      vain_rounds = progress ? 0 : vain_rounds + 1;
      if (progress ? cores_to_wait_for_ : vain_rounds <= P::polling_rounds()) {
        if (P::yield(is_over)) break;
      } else if (!progress || P::polling_rounds() == 0) {
        if (!progress && is_over()) break;
        park();
      }
    }
  });
  if (!has_memory) state_.give_up(no_memory, {});
  shut_down();
  record<P>(log_, EventKind::exit, no_task);
}

template <executors::ExecutionPolicy P, template <class> class F>
void Scheduler<P, F>::start_up() {
  auto& startup = state_.startup;
  record<P>(log_, EventKind::wait, no_task);
  P::await([&] { return startup.sm_header_ready.is_set(); });
  if (startup.elect_initialiser()) {
    // The arrays are made zeroed, which is their initial state; only the announcement is left.
    startup.init_complete.set();
    state_.ring_schedulers();
    state_.orchestrator_bell.ring();
  }
  P::await([&] { return startup.init_complete.is_set(); });
  P::await([&] { return startup.orch_pointers_ready.is_set(); });
  for (Cores& cores : cores_) {
    cores.idle.for_each([&](CoreId core) {
      P::await([&] { return state_.cores[core.value].mailbox().is_ready(); });
    });
  }
}

template <executors::ExecutionPolicy P, template <class> class F>
void Scheduler<P, F>::shut_down() {
  const auto send_exit = [&](CoreId core) { state_.cores[core.value].send_exit(); };
  const auto await_exit = [&](CoreId core) {
    P::await([&] { return state_.cores[core.value].has_left(); });
  };
  for (Cores& cores : cores_) {
    cores.busy.for_each([this](CoreId core) { close_block(running_[core.value]); });
  }
  for (Cores& cores : cores_) {
    cores.idle.for_each(send_exit);
    cores.busy.for_each(send_exit);
  }
  for (Cores& cores : cores_) {
    cores.idle.for_each(await_exit);
    cores.busy.for_each(await_exit);
  }
}

/// Of a run that is given up: a core has a share of the task, if that is an open block task. It
/// ends the part that it runs, and claims no other.
template <executors::ExecutionPolicy P, template <class> class F>
void Scheduler<P, F>::close_block(SlotId task) {
  const TaskDescriptor descriptor = describe(task);
  if (descriptor.is_block && !descriptor.is_pinned()) state_.block(task).parts.close();
}

template <executors::ExecutionPolicy P, template <class> class F>
bool Scheduler<P, F>::completion_phase() {
  bool progress = false;
  for_each_core_type([&](uint32_t type) {
    Cores& cores = cores_[type];
    cores.busy.for_each([&](CoreId core) {
      auto& mailbox = state_.cores[core.value].mailbox();
      if (mailbox.poll() != CoreStatus::finished) return;
      mailbox.retire();
      cores.busy.erase(core);
      cores.idle.insert(core);
      complete(core);
      progress = true;
    });
  });
  // One ring for all of them: the orchestrator may wait for the watermark.
  if (progress) state_.orchestrator_bell.ring();
  return progress;
}

template <executors::ExecutionPolicy P, template <class> class F>
void Scheduler<P, F>::complete(WorkerId worker) {
  const SlotId task = running_[worker.value];
  const TaskDescriptor descriptor = describe(task);
  if (descriptor.is_block || descriptor.is_pinned()) [[unlikely]] {
    if (!end_share(worker)) return;
  }
  complete_task(task, descriptor.id);
}

template <executors::ExecutionPolicy P, template <class> class F>
[[gnu::always_inline]] inline void Scheduler<P, F>::complete_task(SlotId task, TaskId id) {
  ++counts_.completions;
  typename Life::Completion completion(state_.life, task, {scratch_.get(), state_.config.dep_pool});
  if (completion.consumed()) record<P>(log_, EventKind::consume, id);
  while (const auto consumer = completion.next_ready()) push(*consumer);
  while (const auto consumed = completion.next_consumed()) {
    record<P>(log_, EventKind::consume, *consumed);
  }
  state_.advance(completion.rings_to_advance(), log_, counts_.cas_retries);
  state_.finished[id_.value].add(1);
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

template <executors::ExecutionPolicy P, template <class> class F>
void Scheduler<P, F>::push(SlotId task) {
  const TaskDescriptor descriptor = describe(task);
  const auto type = static_cast<uint32_t>(descriptor.type);
  record<P>(log_, EventKind::ready, descriptor.id, type);
  if (descriptor.is_pinned()) [[unlikely]] {
    return state_.push_pinned(task, descriptor.cluster_id());
  }
  Cores& cores = cores_[type];
  cores.more = true;
  if (!descriptor.is_block && !cores.idle.empty()) return (void)start(cores, task, descriptor);
  if (state_.ready[type].push(shard_, task)) return;
  cores.backlog.push_back(task);
  record<P>(log_, EventKind::backlog, descriptor.id);
}

template <executors::ExecutionPolicy P, template <class> class F>
void Scheduler<P, F>::scan_phase() {
  for_each_type([this](uint32_t type) {
    auto& backlog = cores_[type].backlog;
    while (!backlog.empty() && state_.ready[type].push(shard_, backlog.front())) {
      backlog.pop_front();
      cores_[type].more = true;
    }
  });
}

template <executors::ExecutionPolicy P, template <class> class F>
[[gnu::always_inline]] inline bool Scheduler<P, F>::next_task(uint32_t type, SlotId& task) {
  if (const auto popped = state_.ready[type].pop(shard_)) {
    if (popped->stolen) ++counts_.steals;
    task = popped->slot;
    return true;
  }
  auto& backlog = cores_[type].backlog;
  if (backlog.empty()) return false;
  task = backlog.front();
  backlog.pop_front();
  return true;
}

template <executors::ExecutionPolicy P, template <class> class F>
bool Scheduler<P, F>::dispatch_phase() {
  bool progress = false;
  cores_to_wait_for_ = false;
  if (!inbox_.empty() || !pinned_.empty()) [[unlikely]]
    progress = dispatch_pinned();
  for_each_core_type([&](uint32_t type) {
    Cores& cores = cores_[type];
    SlotId task;
    bool passed_on = false;
    while (!passed_on && !cores.idle.empty() && next_task(type, task)) {
      passed_on = start(cores, task, describe(task));
      cores.more = true;
      progress = true;
    }
    cores_to_wait_for_ |= passed_on && !cores.idle.empty();
    if (cores.more && cores.idle.empty()) offer(type);
    cores.more = false;
  });
  if (!rare_types_) rare_types_ = state_.rare_types.is_set();
  if (rare_types_) [[unlikely]]
    progress = run_own_task() || progress;
  return progress;
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

/// Runs a ready task of type AI_CPU, if there is one. False: there is none. Whoever is announced
/// may be counted on by others, which a kernel would keep waiting: then it only takes the task, and
/// runs it in the next round, after a look at what it was rung for.
template <executors::ExecutionPolicy P, template <class> class F>
bool Scheduler<P, F>::run_own_task() {
  SlotId task;
  if (own_task_) {
    task = *own_task_;
  } else if (!next_task(own_type, task)) {
    return false;
  }
  own_task_ = task;
  if (announced_) return true;
  own_task_.reset();
  const WorkerId worker = state_.config.chip.worker_of(id_);
  if (!run_here(worker, task)) return true;
  complete(worker);
  state_.orchestrator_bell.ring();
  return true;
}

/// A task that is popped, or the next part of one: this scheduler has a share of it meanwhile, and
/// who holds the ticket alone claims. False: the run is given up for the kernel's fault.
template <executors::ExecutionPolicy P, template <class> class F>
bool Scheduler<P, F>::run_here(WorkerId worker, SlotId task) {
  const TaskDescriptor descriptor = describe(task);
  BlockPart part;
  if (descriptor.is_block) {
    BlockState<P>& block = state_.block(task);
    const auto claimed = block.parts.claim();
    PTO2_INVARIANT("BP-P2", claimed.has_value());
    part = {static_cast<uint16_t>(*claimed), static_cast<uint16_t>(block.parts.size()),
            block.shape.read().params};
    if (block.parts.unclaimed() != 0) {
      block.parts.add_share();
      push_ticket(own_type, task);
    }
  }
  // There may be more of them.
  state_.wake_one(own_type);
  ++counts_.dispatches;
  record<P>(log_, EventKind::dispatch, descriptor.id, worker.value, part.id);
  running_[worker.value] = task;
  const TaskCall<P> call = call_of(task, descriptor);
  const CoreBooks books{state_.calls.run, state_.calls.guard_of(worker),
                        state_.config.kernel_timing, counts_.own_tasks, log_};
  KernelFault fault;
  descriptor.is_block ? run_part<P>(call, part, books, fault, P::run_kernel)
                      : run_task<P>(call, books, fault);
  if (fault.is_set()) [[unlikely]]
    state_.give_up(fault);
  return !fault.is_set();
}

/// There may be more tasks than this scheduler's cores can take: wakes another scheduler.
template <executors::ExecutionPolicy P, template <class> class F>
void Scheduler<P, F>::offer(uint32_t type) {
  // Not the caller itself, which may be about to sleep.
  if (announced_) state_.parked[type].retract(id_);
  state_.wake_one(type);
}

/// On the idle core of the lowest number. True: it is a block task, and its ticket was passed on.
template <executors::ExecutionPolicy P, template <class> class F>
[[gnu::always_inline]] inline bool Scheduler<P, F>::start(Cores& cores, SlotId task,
                                                          const TaskDescriptor& descriptor) {
  const CoreId core = cores.idle.pop_lowest();
  cores.busy.insert(core);
  if (descriptor.is_block) [[unlikely]]
    return lend(core, task, descriptor.type);
  ++counts_.dispatches;
  record<P>(log_, EventKind::dispatch, descriptor.id, core.value);
  send(core, task, descriptor, {});
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

template <executors::ExecutionPolicy P, template <class> class F>
void Scheduler<P, F>::send(CoreId core, SlotId task, const TaskDescriptor& descriptor,
                           BlockShare<P> share) {
  running_[core.value] = task;
  state_.cores[core.value].dispatch({call_of(task, descriptor), share});
}

template <executors::ExecutionPolicy P, template <class> class F>
void Scheduler<P, F>::park() {
  for_each_type([this](uint32_t type) {
    if (can_take(type)) state_.parked[type].announce(id_);
  });
  announced_ = true;
  scan_phase();
  if (!dispatch_phase()) {
    ++counts_.parks;
    for_each_type([this](uint32_t type) { exchange_backlog(type); });
    // Whether everything has finished is for the orchestrator to judge.
    state_.orchestrator_bell.ring();
    record<P>(log_, EventKind::wait, no_task);
    P::idle();
    if (P::has_lost_core()) give_up_lost(state_, cores_, running_);
  }
  announced_ = false;
  for_each_type([this](uint32_t type) {
    state_.parked[type].retract(id_);
    if (!cores_[type].backlog.empty()) state_.parked[type].catch_up(id_);
  });
}

/// Before sleeping: who has idle cores asks for the tasks that others could not place, and who has
/// such tasks rings somebody with idle cores. PS-I2.
template <executors::ExecutionPolicy P, template <class> class F>
void Scheduler<P, F>::exchange_backlog(uint32_t type) {
  auto& parked = state_.parked[type];
  if (!cores_[type].backlog.empty()) {
    parked.fall_behind(id_);
    state_.wake_one(type);
  } else if (can_take(type)) {
    parked.for_each_behind([&](SchedulerId s) { state_.scheduler_bells[s.value].ring(); });
  }
}

}  // namespace pto2
