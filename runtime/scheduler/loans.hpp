/// Block tasks that a scheduler lends to its cores, which run them in parts (core/block_parts.hpp).
///
/// A block task's ticket goes through the ready queues. Whoever pops it lends the task to idle
/// cores, and passes the ticket on if more of them may help, or gives it up.
///
///   LO-I1: a core is lent a task only while it has a share in it (BP-I4).
///   LO-I2: a ticket that was popped is passed on or given up, once.
#pragma once

#include <algorithm>

#include "runtime/scheduler/ready_tasks.hpp"

namespace pto2 {

template <executors::ExecutionPolicy P, template <class> class F>
class Loans {
 public:
  Loans(SchedulerDesk<P, F>& desk, ReadyTasks<P, F>& ready) : desk_(desk), ready_(ready) {}

  /// To `core`, which was taken for it, and to others that are idle: to no more than can run at
  /// once, because the first of them may claim all parts before another begins. True: they may need
  /// help, and the ticket was passed on. BP-P2.
  [[nodiscard]] [[gnu::noinline]] bool lend(CoreId core, SlotId task, CoreType type);

 private:
  void give_up_ticket(SlotId task);

  SchedulerDesk<P, F>& desk_;
  ReadyTasks<P, F>& ready_;
};

template <executors::ExecutionPolicy P, template <class> class F>
bool Loans<P, F>::lend(CoreId core, SlotId task, CoreType type) {
  BlockState<P>& block = desk_.state.block(task);
  const uint32_t unclaimed = block.parts.unclaimed();
  const uint32_t number =
      std::min({unclaimed, 1 + desk_.cores[type].idle.size(), P::parallelism()});
  if (number == 0 || !block.parts.lend(number)) {
    desk_.cores.give_back(core);
    give_up_ticket(task);
    return false;
  }
  const TaskDescriptor descriptor = desk_.describe(task);
  BlockShare<P> share;
  share.parts = &block.parts;
  share.params = block.shape.read().params;
  const bool pass_on = number < unclaimed;
  // The shares of the cores that come next keep the slot.
  if (pass_on) {
    ready_.push_ticket(static_cast<uint32_t>(type), task);
  } else {
    give_up_ticket(task);
  }
  for (uint32_t i = 0; i < number; ++i) {
    if (i != 0) core = desk_.cores.take_lowest(static_cast<uint32_t>(type));
    ++desk_.counts.loans;
    desk_.send(core, task, descriptor, share);
  }
  return pass_on;
}

/// Nobody else needs it. It counts as finished beside its task: while it is in a queue, the slot
/// may still become free. The orchestrator, which may wait for that, is rung because the ticket was
/// taken (ReadyTasks::has_made_room()).
template <executors::ExecutionPolicy P, template <class> class F>
void Loans<P, F>::give_up_ticket(SlotId task) {
  const TaskId id = desk_.describe(task).id;
  if (desk_.state.life.drop_ticket(task)) {
    record<P>(desk_.log, EventKind::consume, id);
    desk_.state.advance(id, desk_.log, desk_.counts.cas_retries);
  }
  desk_.state.finished[desk_.id.value].add(1);
}

}  // namespace pto2
