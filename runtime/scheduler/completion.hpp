/// Completion: what a scheduler does about a task whose kernel has ended.
///
/// A core whose kernel has ended is visited once: its task is completed, and it gets the next one
/// at once, or is idle from then on (ready_dispatch.hpp).
///
///   CO-I1: the core is free before its task counts as finished: what becomes ready by that may go
///          to it.
///   CO-I2: a task leaves the group of its cluster, notifies its consumers, drops its producers and
///          moves the watermarks before it counts as finished (SD-I2, CP-I4).
///   CO-I3: of a task that broke the bound of a pipe, or changed one by itself, nothing is
///   completed.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "runtime/run/pipe_trace.hpp"
#include "runtime/scheduler/ready_dispatch.hpp"

namespace pto2 {

template <executors::ExecutionPolicy P, template <class> class F>
class Completion {
 public:
  Completion(SchedulerDesk<P, F>& desk, ReadyDispatch<P, F>& dispatch)
      : desk_(desk),
        dispatch_(dispatch),
        finished_(desk.state.finished[desk.id.value]),
        scratch_(std::make_unique_for_overwrite<TaskId[]>(desk.state.config.dep_pool)) {}

  /// Polls the cores that have something, and visits those whose task has ended. True: some have.
  bool poll() {
    bool progress = false;
    const std::span<AiCore<P>> cores(desk_.state.cores);
    dispatch_.begin_visits();
    desk_.cores.busy().for_each([&](CoreId core) {
      if (!cores[core.value].mailbox().take_end()) return;
      progress = true;
      visit(core);
    });
    // One ring for all of them.
    if (progress && desk_.state.admission.is_awaited()) desk_.state.orchestrator_bell.ring();
    return progress;
  }

  /// The task of the worker that the scheduler is itself has ended.
  void complete_own(WorkerId worker) {
    dispatch_.begin_visit_of_none();
    complete(worker);
    dispatch_.end_visit_of_none();
  }

 private:
  [[gnu::noinline]] void visit(CoreId core) {
    dispatch_.begin_visit(core);
    complete(core);
    dispatch_.end_visit();
  }
  /// Completes the task of the worker, unless others have shares in it that have not ended.
  [[gnu::always_inline]] void complete(WorkerId worker) {
    const SlotId task = desk_.cores.task_of(worker);
    TaskId id;
    bool is_shared;
    {
      const auto descriptor = desk_.state.life.slot(task).descriptor.reading();
      id = descriptor->id;
      is_shared = descriptor->is_block || descriptor->is_pinned();
    }
    if (is_shared) [[unlikely]] {
      if (!end_share(worker)) return;
    }
    complete_task(task, id);
  }

  using Life = typename SchedulerDesk<P, F>::State::Life;

  [[gnu::always_inline]] void complete_task(SlotId task, TaskId id) {
    ++desk_.counts.completions;
    typename Life::Completion completion(desk_.state.life, task,
                                         {scratch_.get(), desk_.state.config.dep_pool});
    if (completion.consumed()) advance(id);
    completion.notify_consumers([this](SlotId consumer) { dispatch_.push(consumer); });
    completion.drop_producers([this](TaskId producer) { advance(producer); });
    finished_.add(1);
  }
  void advance(TaskId consumed) {
    record<P>(desk_.log, EventKind::consume, consumed);
    desk_.state.advance(consumed, desk_.log, desk_.counts.cas_retries);
  }

  [[gnu::noinline]] bool end_share(WorkerId worker);
  [[gnu::noinline]] bool has_broken_pipe(SlotId task, TaskId id);

  SchedulerDesk<P, F>& desk_;
  ReadyDispatch<P, F>& dispatch_;
  FinishedCount<P>& finished_;
  /// Producers of the task being completed, room for the nodes of any. Never cleared.
  const std::unique_ptr<TaskId[]> scratch_;
};

/// Of a pinned task, or a share of a block task. It leaves the group of the cluster before the task
/// counts as finished: CP-I4. True: the task has ended.
template <executors::ExecutionPolicy P, template <class> class F>
bool Completion<P, F>::end_share(WorkerId worker) {
  const SlotId task = desk_.cores.task_of(worker);
  const TaskDescriptor descriptor = desk_.describe(task);
  if (descriptor.has_pipes && has_broken_pipe(task, descriptor.id)) return false;
  if (descriptor.is_pinned()) {
    desk_.state.leave_cluster(desk_.state.config.chip.place_of(worker).cluster, desk_.log);
  }
  return !descriptor.is_block || desk_.state.block(task).parts.give_back();
}

/// True: the kernel broke the bound of a pipe, or changed one by itself, of which there is no
/// event. The run is given up, and the task never completes, so that nobody takes what it left in
/// the pipe. PI-I1 makes the pipe its own until then.
template <executors::ExecutionPolicy P, template <class> class F>
bool Completion<P, F>::has_broken_pipe(SlotId task, TaskId id) {
  std::optional<PipeFault> fault;
  {
    const auto arguments = desk_.state.arguments(task).reading();
    fault = find_pipe_fault(*arguments, id);
    const bool is_told = !fault || !fault->is_of_changes();
    if (desk_.log.enabled() && is_told) record_pipes(*arguments, id, P::now(), desk_.log);
  }
  if (!fault) return false;
  desk_.state.give_up(pipe_fault_code(fault->pipe.control.fault),
                      {.submitted = 0, .pipe = *fault, .kernel = {}});
  return true;
}

}  // namespace pto2
