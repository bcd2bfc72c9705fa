/// Ready tasks on their way to a scheduler's cores: those that its completions make ready go to a
/// free core at once, or into the queues if there is none; for its other free cores it takes tasks
/// from there.
///
/// A core is free while it is idle, or while it is visited and has got nothing yet. The visited one
/// goes first, and need not become idle in between. Pinned tasks go before what may run anywhere:
/// if this scheduler's cores have any as a visit begins, or as soon as one becomes ready by it, no
/// core is free until dispatch() gives them theirs. What the same completion has made ready before
/// them has its core by then: that is what was submitted after them.
///
///   RD-I1: a task goes to a core of its type that was free.
///   RD-I2: who has given its last free core of a type to a task wakes another scheduler, for what
///          it was woken for itself, or has pushed (PS-I1).
///   RD-I3: a core that is still free at the end of its visit is idle from then on.
///   RD-I4: a visited core that has got nothing for the sake of pinned tasks is idle at the end of
///          its visit.
///   RD-I5: no core is kept between visits.
///   RD-P1: one core is visited at a time.
#pragma once

#include <utility>

#include "runtime/scheduler/announcements.hpp"
#include "runtime/scheduler/loans.hpp"
#include "runtime/scheduler/pinned_dispatch.hpp"
#include "runtime/scheduler/ready_tasks.hpp"

namespace pto2 {

template <executors::ExecutionPolicy P, template <class> class F>
class ReadyDispatch {
 public:
  ReadyDispatch(SchedulerDesk<P, F>& desk, ReadyTasks<P, F>& ready, Loans<P, F>& loans,
                const PinnedDispatch<P, F>& pinned, Announcements<P, F>& announcements)
      : desk_(desk), ready_(ready), loans_(loans), pinned_(pinned), announcements_(announcements) {}

  /// Cores are visited, one after the other. They take tasks of the types that the scheduler is not
  /// announced for: of the others somebody else was woken for what there is, or dispatch() finds
  /// it.
  void begin_visits() { takes_ = ~announcements_.types(); }
  /// `core`, whose task has ended, is free unless pinned tasks wait. RD-P1
  void begin_visit(CoreId core) {
    PTO2_INVARIANT("RD-P1", visited_type_ == no_type);
    visited_type_ = desk_.cores.type_of(core);
    visited_ = core;
    if (!pinned_.empty()) [[unlikely]]
      keep_cores();
  }
  /// The same after a task that had no core.
  void begin_visit_of_none() {
    if (!pinned_.empty()) keep_cores();
  }
  void end_visit_of_none() { free_cores(std::exchange(visited_type_, no_type)); }
  /// If the core is still free, it takes a ready task, or is idle. After one that found none, or
  /// one that others help with, no other takes any.
  void end_visit();

  /// A task that has become ready by a completion of this scheduler. A block task always goes into
  /// the queues, for dispatch lends it in turns.
  void push(SlotId task) {
    TaskRoute route;
    TaskId id;
    {
      const auto descriptor = desk_.state.life.slot(task).descriptor.reading();
      route = *descriptor;
      id = descriptor->id;
    }
    const auto type = static_cast<uint32_t>(route.type);
    record<P>(desk_.log, EventKind::ready, id, type);
    if (route.is_pinned()) [[unlikely]]
      return push_pinned(task, route.cluster_id());
    CoreId core;
    if (!route.is_block && take_free(type, core)) [[likely]] {
      start(core, task);
      if (desk_.cores[type].idle.empty()) desk_.cores.note_more(type);
      return;
    }
    desk_.cores.note_more(type);
    ready_.push(type, task, id);
  }

  /// Gives ready tasks to the idle cores. True: there were some.
  bool dispatch() {
    PTO2_INVARIANT("RD-I5", !desk_.cores.are_set_aside());
    bool progress = false;
    cores_to_wait_for_ = false;
    desk_.for_each_core_type([&](uint32_t type) {
      OwnCores::OfType& cores = desk_.cores[type];
      SlotId task;
      bool passed_on = std::exchange(cores.passed_on, false);
      progress |= passed_on;
      while (!passed_on && !cores.idle.empty() && ready_.next(type, task)) {
        passed_on = start_taken(type, desk_.cores.take_lowest(type), task);
        progress = true;
      }
      // Cores that the ticket leaves idle take their turn, unless a task of its own comes first
      // (OT-I3): there may be more until then.
      const bool waits = passed_on && !cores.idle.empty();
      cores_to_wait_for_ |= waits;
      if (!waits && desk_.cores.take_more(type) && cores.idle.empty()) offer(type);
    });
    return progress;
  }

  /// After that: a block task was lent to some cores, who may need no others, or await_cores() was
  /// called.
  [[nodiscard]] bool has_cores_to_wait_for() const { return cores_to_wait_for_; }
  /// Until the next dispatch().
  void await_cores() { cores_to_wait_for_ = true; }

 private:
  static constexpr uint32_t no_type = core_types;
  static constexpr uint32_t none_free = no_type + 1;  ///< the same, and the idle cores are kept
  static constexpr uint32_t kept = none_free + 1;     ///< and so is the visited one

  /// A free core of this type, which has something to do from now on. False: there is none.
  [[gnu::always_inline]] bool take_free(uint32_t type, CoreId& core) {
    if (visited_type_ == type) [[likely]] {
      visited_type_ = no_type;
      core = visited_;
      return true;
    }
    if (desk_.cores[type].idle.empty()) return false;
    core = desk_.cores.take_lowest(type);
    return true;
  }

  /// For pinned tasks: none is free until the end of the visit.
  [[gnu::noinline]] void keep_cores() {
    if (visited_type_ < no_type) visited_type_ = kept;
    if (visited_type_ == no_type) visited_type_ = none_free;
    desk_.cores.set_idle_aside();
  }
  /// At that end: `type` is what visited_type_ was.
  [[gnu::noinline]] void free_cores(uint32_t type) {
    desk_.cores.put_idle_back();
    if (type == kept) desk_.cores.give_back(visited_);
  }
  /// A pinned task that is another scheduler's waits for none of this one's cores.
  [[gnu::noinline]] void push_pinned(SlotId task, ClusterId cluster) {
    if (desk_.state.config.chip.scheduler_of(cluster) == desk_.id) keep_cores();
    desk_.state.push_pinned(task, cluster);
  }

  /// A task from the queues. True: it is a block task, and its ticket was passed on.
  [[gnu::always_inline]] bool start_taken(uint32_t type, CoreId core, SlotId task) {
    desk_.cores.note_more(type);
    if (is_block(task)) [[unlikely]]
      return loans_.lend(core, task, static_cast<CoreType>(type));
    start(core, task);
    return false;
  }

  [[gnu::always_inline]] void start(CoreId core, SlotId task) {
    const auto descriptor = desk_.state.life.slot(task).descriptor.reading();
    ++desk_.counts.dispatches;
    record<P>(desk_.log, EventKind::dispatch, descriptor->id, core.value);
    desk_.send(core, task, *descriptor, {});
  }

  [[nodiscard]] bool is_block(SlotId task) {
    return desk_.state.life.slot(task).descriptor.reading()->is_block;
  }

  /// There may be more tasks than this scheduler's cores can take: wakes another scheduler.
  void offer(uint32_t type) {
    announcements_.withdraw(type);  // not the caller itself
    desk_.state.wake_one(type);
  }

  SchedulerDesk<P, F>& desk_;
  ReadyTasks<P, F>& ready_;
  Loans<P, F>& loans_;
  const PinnedDispatch<P, F>& pinned_;
  Announcements<P, F>& announcements_;
  bool cores_to_wait_for_ = false;
  CoreId visited_;
  uint32_t takes_ = 0;  ///< bit t: visited cores of type t take tasks
  /// Of the visited core, or one of the above. no_type: no core is visited, or that one has got a
  /// task.
  uint32_t visited_type_ = no_type;
};

template <executors::ExecutionPolicy P, template <class> class F>
[[gnu::always_inline]] inline void ReadyDispatch<P, F>::end_visit() {
  const uint32_t type = std::exchange(visited_type_, no_type);
  if (type >= no_type) [[unlikely]] {
    if (type != no_type) free_cores(type);
    return;
  }
  SlotId task;
  const bool takes = (takes_ & (1u << type)) != 0;
  if (takes && ready_.next_at_hand(type, task)) [[likely]] {
    if (!start_taken(type, visited_, task)) [[likely]]
      return;
    desk_.cores[type].passed_on = true;
  } else {
    desk_.cores.give_back(visited_);
  }
  takes_ &= ~(1u << type);
}

}  // namespace pto2
