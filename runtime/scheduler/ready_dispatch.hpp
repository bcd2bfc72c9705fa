/// Ready tasks on their way to a scheduler's cores: those that its completions make ready go to an
/// idle core at once, or into the queues if none is; for its other idle cores it takes tasks from
/// there.
///
///   RD-I1: a task goes to a core of its type that was idle.
///   RD-I2: who has given its last idle core of a type to a task wakes another scheduler, for what
///          it was woken for itself, or has pushed (PS-I1).
#pragma once

#include "runtime/scheduler/announcements.hpp"
#include "runtime/scheduler/loans.hpp"
#include "runtime/scheduler/ready_tasks.hpp"

namespace pto2 {

template <executors::ExecutionPolicy P, template <class> class F>
class ReadyDispatch {
 public:
  ReadyDispatch(SchedulerDesk<P, F>& desk, ReadyTasks<P, F>& ready, Loans<P, F>& loans,
                Announcements<P, F>& announcements)
      : desk_(desk), ready_(ready), loans_(loans), announcements_(announcements) {}

  /// A task that has become ready by a completion of this scheduler. A block task always goes into
  /// the queues, for dispatch lends it in turns.
  void push(SlotId task) {
    const TaskDescriptor descriptor = desk_.describe(task);
    const auto type = static_cast<uint32_t>(descriptor.type);
    record<P>(desk_.log, EventKind::ready, descriptor.id, type);
    if (descriptor.is_pinned()) [[unlikely]] {
      return desk_.state.push_pinned(task, descriptor.cluster_id());
    }
    OwnCores::OfType& cores = desk_.cores[type];
    if (!descriptor.is_block && !cores.idle.empty()) {
      start(cores, task, descriptor);
      cores.more |= cores.idle.empty();
      return;
    }
    cores.more = true;
    ready_.push(type, task, descriptor.id);
  }

  /// Gives ready tasks to the idle cores. True: there were some.
  bool dispatch() {
    bool progress = false;
    cores_to_wait_for_ = false;
    desk_.for_each_core_type([&](uint32_t type) {
      OwnCores::OfType& cores = desk_.cores[type];
      SlotId task;
      bool passed_on = false;
      while (!passed_on && !cores.idle.empty() && ready_.next(type, task)) {
        passed_on = start(cores, task, desk_.describe(task));
        cores.more = true;
        progress = true;
      }
      cores_to_wait_for_ |= passed_on && !cores.idle.empty();
      if (cores.more && cores.idle.empty()) offer(type);
      cores.more = false;
    });
    return progress;
  }

  /// After that: a block task was lent to some cores, who may need no others.
  [[nodiscard]] bool has_cores_to_wait_for() const { return cores_to_wait_for_; }

 private:
  /// On the idle core of the lowest number. True: it is a block task, and its ticket was passed on.
  [[gnu::always_inline]] bool start(OwnCores::OfType& cores, SlotId task,
                                    const TaskDescriptor& descriptor) {
    const CoreId core = cores.take_lowest();
    if (descriptor.is_block) [[unlikely]]
      return loans_.lend(core, task, descriptor.type);
    ++desk_.counts.dispatches;
    record<P>(desk_.log, EventKind::dispatch, descriptor.id, core.value);
    desk_.send(core, task, descriptor, {});
    return false;
  }

  /// There may be more tasks than this scheduler's cores can take: wakes another scheduler.
  void offer(uint32_t type) {
    announcements_.withdraw(type);  // not the caller itself
    desk_.state.wake_one(type);
  }

  SchedulerDesk<P, F>& desk_;
  ReadyTasks<P, F>& ready_;
  Loans<P, F>& loans_;
  Announcements<P, F>& announcements_;
  bool cores_to_wait_for_ = false;
};

}  // namespace pto2
