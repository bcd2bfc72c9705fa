/// Tasks of type AI_CPU, which a scheduler runs itself, on its own thread: one per round, after the
/// idle cores have got theirs, so that the cores are polled in between; whoever shares the thread
/// has a turn after each. While the kernel runs, this scheduler's cores wait for it, and the
/// backlog if there is one, but no other scheduler does.
///
///   OT-I1: while such a kernel runs, its scheduler is not announced as parked.
///   OT-I2: whoever runs one has woken a scheduler that is parked, for the case that more are
///   ready.
///   OT-I3: and another one for each type of which it has passed on a block task, with cores idle
///   that would have been next.
#pragma once

#include <optional>

#include "runtime/scheduler/announcements.hpp"
#include "runtime/scheduler/completion.hpp"
#include "runtime/scheduler/ready_tasks.hpp"

namespace pto2 {

template <executors::ExecutionPolicy P, template <class> class F>
class OwnTasks {
 public:
  OwnTasks(SchedulerDesk<P, F>& desk, ReadyTasks<P, F>& ready, Completion<P, F>& completion,
           const Announcements<P, F>& announcements)
      : desk_(desk), ready_(ready), completion_(completion), announcements_(announcements) {}

  /// Runs a ready task, if there is one. False: there is none. Whoever is announced may be counted
  /// on by others, which a kernel would keep waiting: then it only takes the task, and runs it in
  /// the next round, after a look at what it was rung for.
  [[nodiscard]] bool run_one() {
    SlotId task;
    if (taken_) {
      task = *taken_;
    } else if (!ready_.next(own_type, task)) {
      return false;
    }
    taken_ = task;
    if (announcements_.any()) return true;
    taken_.reset();
    // Not once it sleeps: the kernel comes first, and may wait for a task that is to come (RT-I3).
    if (ready_.has_made_room()) desk_.state.orchestrator_bell.ring();
    const WorkerId worker = desk_.state.config.chip.worker_of(desk_.id);
    if (!run(worker, task)) return true;
    completion_.complete_own(worker);
    desk_.state.orchestrator_bell.ring();
    return true;
  }

 private:
  bool run(WorkerId worker, SlotId task);

  SchedulerDesk<P, F>& desk_;
  ReadyTasks<P, F>& ready_;
  Completion<P, F>& completion_;
  const Announcements<P, F>& announcements_;
  std::optional<SlotId> taken_;  // to be run in the next round
  KernelFault fault_;            // of the kernel that was the last
};

/// A task that was taken, or the next part of one: this scheduler has a share of it meanwhile, and
/// who holds the ticket alone claims. False: the run is given up for the kernel's fault.
template <executors::ExecutionPolicy P, template <class> class F>
bool OwnTasks<P, F>::run(WorkerId worker, SlotId task) {
  const TaskDescriptor descriptor = desk_.describe(task);
  BlockPart part;
  if (descriptor.is_block) {
    BlockState<P>& block = desk_.state.block(task);
    const auto claimed = block.parts.claim();
    PTO2_INVARIANT("BP-P2", claimed.has_value());
    part = {static_cast<uint16_t>(*claimed), static_cast<uint16_t>(block.parts.size()),
            block.shape.read().params};
    if (block.parts.unclaimed() != 0) {
      block.parts.add_share();
      ready_.push_ticket(own_type, task);
    }
  }
  // There may be more of them.
  desk_.state.wake_one(own_type);
  desk_.for_each_core_type([this](uint32_t type) {
    if (desk_.cores.take_more(type)) desk_.state.wake_one(type);
  });
  ++desk_.counts.dispatches;
  record<P>(desk_.log, EventKind::dispatch, descriptor.id, worker.value, part.id);
  desk_.cores.note(worker, task);
  const TaskCall<P> call = desk_.call_of(task, descriptor);
  const CoreBooks books{desk_.state.calls.run, desk_.state.calls.guard_of(worker),
                        desk_.state.config.kernel_timing, desk_.counts.own_tasks, desk_.log};
  descriptor.is_block ? run_part<P>(call, part, books, fault_, P::run_kernel)
                      : run_task<P>(call, books, fault_);
  if (fault_.is_set()) [[unlikely]]
    desk_.state.give_up(fault_);
  return !fault_.is_set();
}

}  // namespace pto2
