/// The definitions behind scheduler.hpp.
#pragma once

#include <new>

#include "runtime/scheduler/lost_cores.hpp"
#include "runtime/scheduler/scheduler.hpp"

namespace pto2 {

template <executors::ExecutionPolicy P, template <class> class F>
Scheduler<P, F>::Scheduler(State& state, SchedulerId id)
    : desk_(state, id),
      announcements_(desk_),
      ready_(desk_),
      loans_(desk_, ready_),
      pinned_dispatch_(desk_),
      ready_dispatch_(desk_, ready_, loans_, pinned_dispatch_, announcements_),
      completion_(desk_, ready_dispatch_),
      own_tasks_(desk_, ready_, completion_, announcements_) {}

template <executors::ExecutionPolicy P, template <class> class F>
void Scheduler<P, F>::run() {
  for (; stage_ != Stage::left; go_on()) {
    if (stage_ != Stage::rounds) {
      P::await([this] { return may_go_on(); });
      continue;
    }
    AfterStep after;
    while ((after = try_rounds()) != AfterStep::end) {
      if (after == AfterStep::rung) {
        P::idle();
      } else if (P::yield([this] { return is_over(); }, vain_rounds_ != 0)) {
        break;
      }
    }
  }
}

template <executors::ExecutionPolicy P, template <class> class F>
executors::AfterStep Scheduler<P, F>::step() {
  if (stage_ == Stage::rounds) [[likely]] {
    const AfterStep after = try_rounds();
    if (after == AfterStep::rung) [[likely]]
      return after;
    if (after == AfterStep::yield && !is_over()) return after;
    go_on();
  }
  return step_outside();
}

/// Before its rounds, and after them.
template <executors::ExecutionPolicy P, template <class> class F>
[[gnu::noinline]] executors::AfterStep Scheduler<P, F>::step_outside() {
  for (; stage_ != Stage::left; go_on()) {
    if (stage_ == Stage::rounds) return AfterStep::yield;
    if (!may_go_on()) return AfterStep::rung;
  }
  return AfterStep::end;
}

/// Whether what it waits for has come. Not in rounds.
template <executors::ExecutionPolicy P, template <class> class F>
bool Scheduler<P, F>::may_go_on() const {
  State& state = desk_.state;
  switch (stage_) {
    case Stage::header:
      return state.startup.sm_header_ready.is_set();
    case Stage::initialised:
      return state.startup.init_complete.is_set();
    case Stage::pointers:
      return state.startup.orch_pointers_ready.is_set();
    case Stage::cores:
      return core(awaited_).mailbox().is_ready();
    case Stage::exits:
      return core(awaited_).has_left();
    default:
      return true;
  }
}

/// After that: to the next stage, or the next core that this one waits for.
template <executors::ExecutionPolicy P, template <class> class F>
[[gnu::noinline]] void Scheduler<P, F>::go_on() {
  switch (stage_) {
    case Stage::begin:
      record<P>(desk_.log, EventKind::wait, no_task);
      break;
    case Stage::header:
      initialise();
      break;
    case Stage::cores:
      if (++awaited_ != desk_.cores.all().size()) return;
      polling_rounds_ = P::polling_rounds();
      break;
    case Stage::rounds:
      announcements_.withdraw();
      send_exits();
      awaited_ = 0;
      break;
    case Stage::exits:
      if (++awaited_ != desk_.cores.all().size()) return;
      record<P>(desk_.log, EventKind::exit, no_task);
      break;
    default:
      break;
  }
  stage_ = static_cast<Stage>(static_cast<uint8_t>(stage_) + 1);
}

template <executors::ExecutionPolicy P, template <class> class F>
void Scheduler<P, F>::initialise() {
  State& state = desk_.state;
  if (!state.startup.elect_initialiser()) return;
  // The arrays are made zeroed, which is their initial state; only the announcement is left.
  state.startup.init_complete.set();
  state.ring_schedulers();
  state.orchestrator_bell.ring();
}

template <executors::ExecutionPolicy P, template <class> class F>
void Scheduler<P, F>::send_exits() {
  for (const CoreId core : desk_.cores.all()) desk_.state.cores[core.value].send_exit();
}

/// Rounds until it waits. End: the run is over, or given up, also for want of memory.
template <executors::ExecutionPolicy P, template <class> class F>
[[gnu::always_inline]] inline executors::AfterStep Scheduler<P, F>::try_rounds() {
  try {
    return rounds();
  } catch (const std::bad_alloc&) {
    // What comes next is outside of the handler: a fiber in one must not wait.
  }
  lack_memory();
  return AfterStep::end;
}

template <executors::ExecutionPolicy P, template <class> class F>
[[gnu::noinline]] void Scheduler<P, F>::lack_memory() {
  desk_.state.give_up(no_memory, {});
}

template <executors::ExecutionPolicy P, template <class> class F>
[[gnu::always_inline]] inline executors::AfterStep Scheduler<P, F>::rounds() {
  wake_up();
  bool woken = true;
  while (!desk_.state.fatal.is_set()) {
    bool progress = completion_.poll();
    ready_.scan();
    // Who parks after each round looks for tasks in that, unless it may have been rung for some,
    // or yields instead.
    const bool parks =
        polling_rounds_ == 0 && !desk_.rare_types && !ready_dispatch_.has_cores_to_wait_for();
    if (!parks || (woken && !progress)) progress |= dispatch_phase();
    if (progress) vain_rounds_ = 0;
    bool yields = progress ? ready_dispatch_.has_cores_to_wait_for() : polls_on();
    if (!yields && (!progress || polling_rounds_ == 0)) {
      if (!progress && is_over()) break;
      if (park()) return AfterStep::rung;
      woken = false;
      yields = ready_dispatch_.has_cores_to_wait_for();
    }
    if (yields) {
      announcements_.withdraw();
      return AfterStep::yield;
    }
  }
  return AfterStep::end;
}

/// Once it was rung, or others have had their turn.
template <executors::ExecutionPolicy P, template <class> class F>
[[gnu::always_inline]] inline void Scheduler<P, F>::wake_up() {
  if (P::has_lost_core()) give_up_lost(desk_);
  ready_.catch_up();
  withdraw_if_awake_for_long();
}

/// Who polls or runs tasks of its own will be awake for long.
template <executors::ExecutionPolicy P, template <class> class F>
[[gnu::always_inline]] inline void Scheduler<P, F>::withdraw_if_awake_for_long() {
  if (polling_rounds_ != 0 || desk_.rare_types) announcements_.withdraw();
}

/// After a round in vain: whether another one comes before it sleeps.
template <executors::ExecutionPolicy P, template <class> class F>
[[gnu::noinline]] bool Scheduler<P, F>::polls_on() {
  polling_rounds_ = P::polling_rounds();
  return ++vain_rounds_ <= polling_rounds_;
}

template <executors::ExecutionPolicy P, template <class> class F>
bool Scheduler<P, F>::dispatch_phase() {
  bool progress = false;
  if (!pinned_dispatch_.empty()) [[unlikely]]
    progress = pinned_dispatch_.dispatch();
  progress |= ready_dispatch_.dispatch();
  desk_.learn_rare_types();
  if (desk_.rare_types) [[unlikely]]
    progress |= run_own_task();
  return progress;
}

/// Cores have their turn before the next one, and where a bounded number of OS threads runs all of
/// them, so has everybody else.
template <executors::ExecutionPolicy P, template <class> class F>
[[gnu::noinline]] bool Scheduler<P, F>::run_own_task() {
  if (!own_tasks_.run_one()) return false;
  const bool is_bounded = P::parallelism() != UINT32_MAX;
  if (is_bounded || !desk_.cores.busy().empty()) ready_dispatch_.await_cores();
  return true;
}

/// True: it is to sleep. Else it has found something to do.
template <executors::ExecutionPolicy P, template <class> class F>
[[gnu::always_inline]] inline bool Scheduler<P, F>::park() {
  // Before the announcements: who was rung for that may have been awake for something else, and
  // there is no other ring to come.
  desk_.learn_rare_types();
  if (may_sleep_on() || !look_before_sleep()) {
    fall_asleep();
    return true;
  }
  withdraw_if_awake_for_long();
  return false;
}

/// True if nothing has come up since the look before its last sleep but what it did since: it is
/// announced for the types of its idle cores, and nobody has taken it.
template <executors::ExecutionPolicy P, template <class> class F>
[[gnu::always_inline]] inline bool Scheduler<P, F>::may_sleep_on() const {
  if (desk_.rare_types || !pinned_dispatch_.empty()) return false;
  if (desk_.cores.have_more() || ready_.has_backlog()) return false;
  const auto is_settled = [this](CoreType of) {
    const auto type = static_cast<uint32_t>(of);
    return desk_.cores[type].idle.empty() || announcements_.stands(type);
  };
  return is_settled(CoreType::cube) && is_settled(CoreType::vector);
}

/// True: it has found something to do.
template <executors::ExecutionPolicy P, template <class> class F>
[[gnu::noinline]] bool Scheduler<P, F>::look_before_sleep() {
  bool progress = false;
  do {
    desk_.for_each_type([this](uint32_t type) {
      desk_.can_take(type) ? announcements_.announce(type) : announcements_.withdraw(type);
    });
    ready_.scan();
    progress = dispatch_phase();
  } while (progress && !ready_dispatch_.has_cores_to_wait_for() && !desk_.rare_types);
  if (!progress) desk_.for_each_type([this](uint32_t type) { ready_.exchange_backlog(type); });
  return progress;
}

template <executors::ExecutionPolicy P, template <class> class F>
[[gnu::always_inline]] inline void Scheduler<P, F>::fall_asleep() {
  ++desk_.counts.parks;
  // Whether everything has finished is for the orchestrator to judge. As long as a core works, it
  // has not.
  if (ready_.has_made_room() || desk_.cores.busy().empty()) desk_.state.orchestrator_bell.ring();
  record<P>(desk_.log, EventKind::wait, no_task);
}

}  // namespace pto2
