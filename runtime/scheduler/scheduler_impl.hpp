/// The definitions behind scheduler.hpp.
#pragma once

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
  start_up();
  const bool has_memory = has_memory_for([this] { loop(); });
  announcements_.withdraw();
  if (!has_memory) {
    ready_dispatch_.break_visit();  // it may have come to lack in one
    desk_.state.give_up(no_memory, {});
  }
  shut_down();
  record<P>(desk_.log, EventKind::exit, no_task);
}

template <executors::ExecutionPolicy P, template <class> class F>
[[gnu::noinline]] void Scheduler<P, F>::loop() {
  const auto is_over = [this] { return desk_.state.startup.shutdown.is_set(); };
  polling_rounds_ = P::polling_rounds();
  uint32_t vain_rounds = 0;
  bool woken = true;
  while (!desk_.state.fatal.is_set()) {
    bool progress = completion_.poll();
    ready_.scan();
    // Who parks after each round looks for tasks in that, unless it may have been rung for some,
    // or yields instead.
    const bool parks =
        polling_rounds_ == 0 && !desk_.rare_types && !ready_dispatch_.has_cores_to_wait_for();
    if (!parks || (woken && !progress)) progress |= dispatch_phase();
    vain_rounds = progress ? 0 : vain_rounds + 1;
    bool yields =
        progress ? ready_dispatch_.has_cores_to_wait_for() : vain_rounds <= polling_rounds_;
    if (!yields && (!progress || polling_rounds_ == 0)) {
      if (!progress && is_over()) break;
      woken = park();
      yields = !woken && ready_dispatch_.has_cores_to_wait_for();
    }
    if (yields) {
      announcements_.withdraw();
      if (P::yield(is_over)) break;
      polling_rounds_ = P::polling_rounds();
      woken = true;
    }
  }
}

template <executors::ExecutionPolicy P, template <class> class F>
void Scheduler<P, F>::start_up() {
  State& state = desk_.state;
  auto& startup = state.startup;
  record<P>(desk_.log, EventKind::wait, no_task);
  P::await([&] { return startup.sm_header_ready.is_set(); });
  if (startup.elect_initialiser()) {
    // The arrays are made zeroed, which is their initial state; only the announcement is left.
    startup.init_complete.set();
    state.ring_schedulers();
    state.orchestrator_bell.ring();
  }
  P::await([&] { return startup.init_complete.is_set(); });
  P::await([&] { return startup.orch_pointers_ready.is_set(); });
  for (const OwnCores::OfType& cores : desk_.cores) {
    for (const CoreId core : cores.idle) {
      P::await([&] { return state.cores[core.value].mailbox().is_ready(); });
    }
  }
}

template <executors::ExecutionPolicy P, template <class> class F>
void Scheduler<P, F>::shut_down() {
  State& state = desk_.state;
  const auto send_exit = [&](CoreId core) { state.cores[core.value].send_exit(); };
  const auto await_exit = [&](CoreId core) {
    P::await([&] { return state.cores[core.value].has_left(); });
  };
  for (const CoreId core : desk_.cores.busy()) loans_.close(desk_.cores.task_of(core));
  for (const OwnCores::OfType& cores : desk_.cores) {
    for (const CoreId core : cores.idle) send_exit(core);
  }
  for (const CoreId core : desk_.cores.busy()) send_exit(core);
  for (const OwnCores::OfType& cores : desk_.cores) {
    for (const CoreId core : cores.idle) await_exit(core);
  }
  for (const CoreId core : desk_.cores.busy()) await_exit(core);
}

template <executors::ExecutionPolicy P, template <class> class F>
bool Scheduler<P, F>::dispatch_phase() {
  bool progress = false;
  if (!pinned_dispatch_.empty()) [[unlikely]]
    progress = pinned_dispatch_.dispatch();
  progress |= ready_dispatch_.dispatch();
  desk_.learn_rare_types();
  if (desk_.rare_types) [[unlikely]]
    progress |= own_tasks_.run_one();
  return progress;
}

/// Sleeps, unless it finds something to do. True: it has slept.
template <executors::ExecutionPolicy P, template <class> class F>
bool Scheduler<P, F>::park() {
  // Before the announcements: who was rung for that may have been awake for something else, and
  // there is no other ring to come.
  desk_.learn_rare_types();
  const bool progress = !may_sleep_on() && look_before_sleep();
  if (!progress) {
    sleep();
    polling_rounds_ = P::polling_rounds();
  }
  // Who polls or runs tasks of its own will be awake for long.
  if (polling_rounds_ != 0 || desk_.rare_types) announcements_.withdraw();
  return !progress;
}

/// True if nothing has come up since the look before its last sleep but what it did since: it is
/// announced for the types of its idle cores, and nobody has taken it.
template <executors::ExecutionPolicy P, template <class> class F>
bool Scheduler<P, F>::may_sleep_on() const {
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
void Scheduler<P, F>::sleep() {
  ++desk_.counts.parks;
  // Whether everything has finished is for the orchestrator to judge. As long as a core works, it
  // has not.
  if (ready_.has_made_room() || desk_.cores.busy().empty()) desk_.state.orchestrator_bell.ring();
  record<P>(desk_.log, EventKind::wait, no_task);
  P::idle();
  if (P::has_lost_core()) give_up_lost(desk_);
  ready_.catch_up();
}

}  // namespace pto2
