/// The definitions behind scheduler.hpp, but for those of shared_tasks_impl.hpp.
#pragma once

#include "runtime/scheduler/lost_cores.hpp"
#include "runtime/scheduler/scheduler.hpp"
#include "runtime/scheduler/shared_tasks_impl.hpp"

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
    bool woken = true;
    while (!state_.fatal.is_set()) {
      bool progress = completion_phase();
      scan_phase();
      // Who parks after each round looks for tasks in that, unless it may have been rung for some,
      // or yields instead.
      const bool parks = P::polling_rounds() == 0 && !rare_types_ && !cores_to_wait_for_;
      if (!parks || (woken && !progress)) progress |= dispatch_phase();
      vain_rounds = progress ? 0 : vain_rounds + 1;
      bool yields = progress ? cores_to_wait_for_ : vain_rounds <= P::polling_rounds();
      if (!yields && (!progress || P::polling_rounds() == 0)) {
        if (!progress && is_over()) break;
        woken = park();
        yields = !woken && cores_to_wait_for_;
      }
      if (yields) {
        if (P::yield(is_over)) break;
        woken = true;
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

template <executors::ExecutionPolicy P, template <class> class F>
void Scheduler<P, F>::send(CoreId core, SlotId task, const TaskDescriptor& descriptor,
                           BlockShare<P> share) {
  running_[core.value] = task;
  state_.cores[core.value].dispatch({call_of(task, descriptor), share});
}

template <executors::ExecutionPolicy P, template <class> class F>
bool Scheduler<P, F>::park() {
  announced_ = true;
  bool progress = false;
  do {
    for_each_type([this](uint32_t type) {
      if (can_take(type)) state_.parked[type].announce(id_);
    });
    scan_phase();
    progress = dispatch_phase();
  } while (progress && !cores_to_wait_for_ && !rare_types_);
  if (!progress) {
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
  return !progress;
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
