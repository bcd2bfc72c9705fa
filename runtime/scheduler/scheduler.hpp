/// A scheduler: dispatches ready tasks to the cores of its clusters and completes them.
///
/// Its loop has the original's four phases:
///   completion   polls COND of each core with a task; completes those that report FIN. What
///                becomes ready by that goes to an idle core of this scheduler at once, or into
///                the queues if none is; a block task always does, for dispatch lends it in turns
///   scan         moves tasks that found the queues full from the backlog into them; the
///                scheduler's own cores take them from the backlog, too. There is nothing else to
///                find: one election per task pushes it (core/fan_in.hpp)
///   dispatch     gives the tasks that are pinned to its clusters to their cores; then pops ready
///                tasks for idle cores: own shard, the orchestrator's, then steals
///   drain        the orchestrator's queue is one more shard of dispatch, so a task that it made
///                ready crosses one queue, not two
///
/// A task of type AI_CPU runs on the scheduler that popped it, on its own thread: one per round,
/// after the idle cores have got theirs, so that the cores are polled in between. While its kernel
/// runs, this scheduler's cores wait for it, and the backlog if there is one, but no other
/// scheduler does: it is not announced as parked then, and it has woken one that is, for the case
/// that more such tasks are ready.
///
/// Without progress the scheduler polls a few more rounds, then sleeps until its doorbell rings.
/// Who does not poll does so after each round: whatever comes next rings. The look for ready tasks
/// that comes before a sleep is the only one then, unless it was for such tasks that it was woken.
/// It looks for the end of the run after a round without progress only.
#pragma once

#include <array>
#include <deque>
#include <memory>
#include <optional>

#include "runtime/chip/core_set.hpp"
#include "runtime/run/pipe_trace.hpp"
#include "runtime/run/run_state.hpp"
#include "runtime/scheduler/pinned_lanes.hpp"

namespace pto2 {

/// What a scheduler counted. Read after the run.
struct SchedulerCounts {
  uint64_t dispatches = 0;
  uint64_t loans = 0;
  uint64_t completions = 0;
  uint64_t steals = 0;
  uint64_t cas_retries = 0;
  uint64_t parks = 0;
  CoreCounts own_tasks = {};  ///< of type AI_CPU
};

template <executors::ExecutionPolicy P, template <class> class F>
class Scheduler {
 public:
  using State = RunState<P, F>;

  /// Scheduler `id` of `state`, which outlives it.
  Scheduler(State& state, SchedulerId id);

  /// The body of the logical thread: start-up, the loop, shutdown.
  void run();

  [[nodiscard]] const SchedulerCounts& counts() const { return counts_; }
  [[nodiscard]] EventLog& log() { return log_; }

 private:
  using Life = typename State::Life;

  /// The scheduler's own cores of one type, by their number in the chip.
  struct Cores {
    explicit Cores(uint32_t limit) : idle(limit), busy(limit) {}
    CoreSet idle;
    CoreSet busy;
    std::deque<SlotId> backlog;  // ready tasks that found every shard full
    bool more = false;           // tasks may be left that other schedulers could take
  };

  void start_up();
  void shut_down();
  void close_block(SlotId task);
  bool completion_phase();
  bool dispatch_phase();
  bool dispatch_pinned();
  void scan_phase();
  bool park();

  void complete(WorkerId worker);
  void complete_task(SlotId task, TaskId id);
  [[nodiscard]] bool end_share(WorkerId worker);
  [[nodiscard]] bool has_broken_pipe(SlotId task, TaskId id);
  void push(SlotId task);
  bool start(Cores& cores, SlotId task, const TaskDescriptor& descriptor);
  bool lend(CoreId core, SlotId task, CoreType type);
  void send_pinned(CoreId core, SlotId task, uint32_t part);
  void send(CoreId core, SlotId task, const TaskDescriptor& descriptor, BlockShare<P> share);
  [[nodiscard]] TaskCall<P> call_of(SlotId task, const TaskDescriptor& descriptor) {
    return {descriptor.id, descriptor.kernel, descriptor.arguments, &state_.arguments(task)};
  }
  void push_ticket(uint32_t type, SlotId task);
  void give_up_ticket(SlotId task);
  bool dispatch_to_cluster(ClusterId cluster, CoreType type, SlotId task, uint32_t part);
  void take_pinned_parts(SlotId task, CoreType type);
  [[nodiscard]] bool run_own_task();
  bool run_here(WorkerId worker, SlotId task);
  void offer(uint32_t type);
  void exchange_backlog(uint32_t type);
  [[nodiscard]] bool next_task(uint32_t type, SlotId& task);
  [[nodiscard]] TaskDescriptor describe(SlotId task) {
    return state_.life.slot(task).descriptor.read();
  }
  /// Calls visit(type) for the types of the cores in use. There are two in most runs, so that a
  /// third costs those a branch.
  template <class Visitor>
  void for_each_core_type(Visitor&& visit) {
    visit(static_cast<uint32_t>(CoreType::cube));
    visit(static_cast<uint32_t>(CoreType::vector));
    if (rare_types_) [[unlikely]]
      visit(static_cast<uint32_t>(CoreType::accelerator));
  }
  /// Calls visit(type) for all types in use.
  template <class Visitor>
  void for_each_type(Visitor&& visit) {
    for_each_core_type(visit);
    if (rare_types_) [[unlikely]]
      visit(own_type);
  }
  /// True if a ready task of this type could start.
  [[nodiscard]] bool can_take(uint32_t type) const {
    return !cores_[type].idle.empty() || type == own_type;
  }

  static constexpr auto own_type = static_cast<uint32_t>(CoreType::ai_cpu);

  State& state_;
  SchedulerId id_;
  uint32_t shard_;
  std::array<Cores, core_types> cores_;
  PinnedInbox<P>& inbox_;
  PinnedLanes pinned_;
  std::vector<SlotId> running_;  // by worker: the task dispatched to it
  /// Producers of the task being completed, room for the nodes of any. Never cleared.
  const std::unique_ptr<TaskId[]> scratch_;
  bool announced_ = false;          // in the set of parked schedulers
  bool cores_to_wait_for_ = false;  // a block task was lent to some, who may need no others
  bool rare_types_;                 // tasks of type ai_cpu or accelerator may come
  std::optional<SlotId> own_task_;  // of type ai_cpu, to be run in the next round
  SchedulerCounts counts_;
  EventLog log_;
};

}  // namespace pto2
