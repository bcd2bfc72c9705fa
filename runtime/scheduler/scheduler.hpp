/// A scheduler: dispatches ready tasks to the cores of its clusters and completes them.
///
/// Its rounds have the original's four phases, in rooms of their own:
///   completion   polls COND of each core with a task; visits those that report FIN: completes the
///                task (completion.hpp) and gives the core its next one, what has become ready by
///                that or what is in the queues. What else becomes ready goes to an idle core of
///                this scheduler at once, or into the queues if none is or pinned tasks wait
///                (ready_dispatch.hpp)
///   scan         moves tasks that found the queues full from the backlog into them; the
///                scheduler's own cores take them from the backlog, too (ready_tasks.hpp). There is
///                nothing else to find: one election per task pushes it (core/fan_in.hpp)
///   dispatch     gives the tasks that are pinned to its clusters to their cores
///                (pinned_dispatch.hpp); then pops ready tasks for idle cores: own shard, the
///                orchestrator's, then steals (ready_tasks.hpp); then runs a task of type AI_CPU,
///                if there is one (own_tasks.hpp)
///   drain        dispatch pops from the orchestrator's queue as from a shard, so a task that it
///                made ready crosses one queue, not two
///
/// What is here is when there is another round, and when it sleeps. Without progress the scheduler
/// polls a few more rounds, then sleeps until its doorbell rings. Who does not poll does so after
/// each round: whatever comes next rings. The look for ready tasks that comes before a sleep is the
/// only one then, unless it was for such tasks that it was woken; and it stays announced when it
/// wakes up, so that it need not look again as long as nobody has taken it: what is in the queues
/// was somebody else's to be woken for. It looks for the end of the run after a round without
/// progress only.
///
/// It never waits itself in the middle of a round, so it needs no stack but while it is in one:
/// whoever calls step() again when that is due runs a scheduler, and run() is for those who wait
/// themselves. Before its rounds and after them it waits for one thing after the other, in stages.
///
///   SC-I1: who sleeps is announced for the types that it can take tasks of, and has looked for
///          some since, unless the announcement still stands from the sleep before (PS-I1).
///   SC-I2: who sleeps while none of its cores works has rung the orchestrator, which judges
///          whether everything has finished.
///   SC-I3: a scheduler leaves when its cores have.
#pragma once

#include "runtime/executors/after_step.hpp"
#include "runtime/scheduler/announcements.hpp"
#include "runtime/scheduler/completion.hpp"
#include "runtime/scheduler/loans.hpp"
#include "runtime/scheduler/own_tasks.hpp"
#include "runtime/scheduler/pinned_dispatch.hpp"
#include "runtime/scheduler/ready_dispatch.hpp"
#include "runtime/scheduler/ready_tasks.hpp"
#include "runtime/scheduler/scheduler_desk.hpp"

namespace pto2 {

template <executors::ExecutionPolicy P, template <class> class F>
class Scheduler {
 public:
  using State = RunState<P, F>;

  /// Scheduler `id` of `state`, which outlives it.
  Scheduler(State& state, SchedulerId id);

  /// The body of the logical thread: start-up, rounds, shutdown.
  void run();
  /// The same in steps. Kernels that it runs may wait, nothing else in it.
  [[nodiscard]] executors::AfterStep step();

  [[nodiscard]] const SchedulerCounts& counts() const { return desk_.counts; }
  [[nodiscard]] EventLog& log() { return desk_.log; }

 private:
  using AfterStep = executors::AfterStep;

  /// What it waits for, if it is not in its rounds.
  enum class Stage : uint8_t { begin, header, initialised, pointers, cores, rounds, exits, left };

  [[nodiscard]] AfterStep step_outside();
  [[nodiscard]] bool may_go_on() const;
  void go_on();
  void initialise();
  void send_exits();
  [[nodiscard]] AfterStep try_rounds();
  [[nodiscard]] AfterStep rounds();
  void lack_memory();
  void wake_up();
  void withdraw_if_awake_for_long();
  bool dispatch_phase();
  [[nodiscard]] bool run_own_task();
  [[nodiscard]] bool polls_on();
  [[nodiscard]] bool park();
  [[nodiscard]] bool may_sleep_on() const;
  [[nodiscard]] bool look_before_sleep();
  void fall_asleep();

  [[nodiscard]] bool is_over() const { return desk_.state.startup.shutdown.is_set(); }
  /// The one at this place of its own.
  [[nodiscard]] AiCore<P>& core(uint32_t place) const {
    return desk_.state.cores[desk_.cores.all()[place].value];
  }

  SchedulerDesk<P, F> desk_;
  Announcements<P, F> announcements_;
  ReadyTasks<P, F> ready_;
  Loans<P, F> loans_;
  PinnedDispatch<P, F> pinned_dispatch_;
  ReadyDispatch<P, F> ready_dispatch_;
  Completion<P, F> completion_;
  OwnTasks<P, F> own_tasks_;
  Stage stage_ = Stage::begin;
  uint32_t awaited_ = 0;         ///< place of the core that it waits for
  uint32_t polling_rounds_ = 0;  ///< in vain before it parks, as of the last of them
  uint32_t vain_rounds_ = 0;     ///< one after the other, until now
};

}  // namespace pto2
