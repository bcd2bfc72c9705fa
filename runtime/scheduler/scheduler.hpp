/// A scheduler: dispatches ready tasks to the cores of its blocks and completes them.
///
/// Its loop has the original's four phases:
///   completion   polls COND of each core with a task; completes those that report FIN
///   scan         moves tasks that found the queues full from the backlog into them; the
///                scheduler's own cores take them from the backlog, too. There is nothing else to
///                find: one election per task pushes it (core/fan_in.hpp)
///   dispatch     gives the tasks that are pinned to its clusters to their cores; then pops ready
///                tasks for idle cores: own shard, the orchestrator's, then steals
///   drain        the orchestrator's queue is one more shard of dispatch, so a task that it made
///                ready crosses one queue, not two
/// Without progress the scheduler polls a few more rounds, then sleeps until its doorbell rings. It
/// looks for the end of the run after a round without progress only.
#pragma once

#include <array>
#include <deque>

#include "runtime/chip/core_set.hpp"
#include "runtime/run/run_state.hpp"
#include "runtime/scheduler/pinned_lanes.hpp"

namespace pto2 {

/// What a scheduler counted. Read after the run.
struct SchedulerCounts {
  uint64_t dispatches = 0;
  uint64_t completions = 0;
  uint64_t steals = 0;
  uint64_t cas_retries = 0;
  uint64_t parks = 0;
};

template <executors::ExecutionPolicy P, template <class> class F>
class Scheduler {
 public:
  using State = RunState<P, F>;

  /// Scheduler number `index` of `state`, which outlives it.
  Scheduler(State& state, uint32_t index);

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
    std::deque<Place> backlog;  // ready tasks that found every shard full
    bool more = false;          // tasks may be left that other schedulers could take
  };

  void start_up();
  void shut_down();
  bool completion_phase();
  bool dispatch_phase();
  bool dispatch_pinned();
  void scan_phase();
  void park();

  void complete(uint32_t core);
  [[nodiscard]] bool end_part(uint32_t core);
  void push(Place task);
  void dispatch(uint32_t core, Place task);
  void dispatch_parts(uint32_t core, Place task, CoreType type);
  void send_part(uint32_t core, Place task, uint32_t part);
  void send(uint32_t core, Place task, TaskId id, KernelEntry kernel, BlockPart part);
  void push_ticket(uint32_t type, Place task);
  bool dispatch_to_cluster(uint32_t cluster, CoreType type, Place task, uint32_t part);
  void take_pinned_parts(Place task, CoreType type);
  void offer(uint32_t type);
  void exchange_backlog(uint32_t type);
  [[nodiscard]] bool next_task(uint32_t type, Place& task);
  [[nodiscard]] TaskDescriptor describe(Place task) {
    return state_.life.slot(task).descriptor.read();
  }

  State& state_;
  uint32_t index_;
  uint32_t shard_;
  std::array<Cores, core_types> cores_;
  PinnedInbox<P>& inbox_;
  PinnedLanes pinned_;
  std::vector<Place> running_;   // by core: the task dispatched to it
  MappedArray<TaskId> scratch_;  // producers of the task being completed
  bool announced_ = false;       // in the set of parked schedulers
  SchedulerCounts counts_;
  EventLog log_;
};

}  // namespace pto2
