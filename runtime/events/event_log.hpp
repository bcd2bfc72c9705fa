/// Events of one logical thread, in a buffer that is allocated before the run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/task_id.hpp"
#include "runtime/executors/execution_policy.hpp"

namespace pto2 {

enum class EventKind : uint8_t {
  submit,    ///< orchestrator: a task was submitted, a block task with `part` parts
  ready,     ///< whoever took the fan-in to zero: `detail` is the core type
  dispatch,  ///< scheduler: to core `detail`, which may be itself (runtime/chip/chip.hpp); or core
             ///< `detail`: claimed the part. This and the next two once per part
  ack,       ///< core, or scheduler as one: took the task
  fin,       ///< core, or scheduler as one: the kernel returned
  consume,   ///< whoever dropped the last reference
  reclaim,   ///< whoever moved the watermark past the task
  /// The thread has nothing to do until its next event. The orchestrator blocked by a full
  /// resource: `detail` is the resource, `task` the next task of the ring. Other waits have
  /// `no_task`: a core waits for a dispatch, a scheduler for ready or finished tasks, the
  /// orchestrator for room in its ready queue or, at its end, for all tasks.
  wait,
  /// The thread's last event, with `no_task`: a core is about to acknowledge its exit; the cores of
  /// a scheduler have left, and it follows; the orchestrator has nothing left to say.
  exit,
  // Groups, by the orchestrator but for the last.
  allocate,   ///< group `task.value` was opened on cluster `detail`
  close,      ///< group `task.value`, on cluster `detail`, was closed
  join,       ///< the task, or its part `part`, is of group `detail`
  give_back,  ///< whoever ended its group: nobody holds cluster `detail`; with `no_task`
  // Scopes, by the orchestrator of a traced run: `detail` is the depth, 0 the outermost.
  scope_begin,  ///< scope `task.value` was opened
  scope_end,    ///< scope `task.value` is about to let go of its tasks
  // Pipes: `detail` is the place in the log's pipe_uses().
  pipe,      ///< scheduler: the kernel of the task has returned; once per pipe that it names
  leftover,  ///< orchestrator, with `no_task`: the group of a pipe that is not empty is over
};

inline constexpr uint32_t event_kinds = static_cast<uint32_t>(EventKind::leftover) + 1;

/// Name of a kind in trace files: "submit", "ready", ..
[[nodiscard]] const char* event_name(EventKind kind);

struct Event {
  uint64_t tick;  ///< of the policy's clock: nanoseconds, or points of a simulated schedule
  TaskId task;
  uint32_t detail;
  uint16_t part;  ///< of a block task; 0 else
  EventKind kind;
};

/// Entries of a pipe that have a slot.
struct PipeFill {
  int64_t waiting;  ///< not popped
  int64_t held;     ///< popped and not freed
};

/// What a task did with a pipe. Of a leftover only the name and `after` count.
struct PipeUse {
  uint32_t group;
  int32_t tag;
  uint32_t capacity;
  int64_t pushed;
  int64_t popped;
  int64_t freed;
  PipeFill before;
  PipeFill after;
};

/// Written by its logical thread alone; read after the run.
class EventLog {
 public:
  EventLog() = default;
  /// Room for `capacity` events; memory is touched as they come.
  EventLog(std::string thread, std::size_t capacity) : thread_(std::move(thread)) {
    events_.reserve(capacity);
    capacity_ = capacity;
  }

  /// True if events are wanted.
  [[nodiscard]] bool enabled() const { return capacity_ != 0; }

  void record(uint64_t tick, EventKind kind, TaskId task, uint32_t detail, uint16_t part = 0) {
    if (events_.size() == capacity_) {
      ++dropped_;
      return;
    }
    events_.push_back({tick, task, detail, part, kind});
  }
  void record(uint64_t tick, EventKind kind, TaskId task, const PipeUse& use) {
    if (events_.size() < capacity_) pipe_uses_.push_back(use);
    record(tick, kind, task, static_cast<uint32_t>(pipe_uses_.size() - 1));
  }

  [[nodiscard]] const std::string& thread() const { return thread_; }
  [[nodiscard]] const std::vector<Event>& events() const { return events_; }
  [[nodiscard]] const std::vector<PipeUse>& pipe_uses() const { return pipe_uses_; }
  /// Events that found the buffer full.
  [[nodiscard]] uint64_t dropped() const { return dropped_; }

 private:
  std::string thread_;
  std::vector<Event> events_;
  std::vector<PipeUse> pipe_uses_;
  std::size_t capacity_ = 0;
  uint64_t dropped_ = 0;
};

/// Records an event if the log is enabled; one predictable branch if not.
template <executors::ExecutionPolicy P>
void record(EventLog& log, EventKind kind, TaskId task, uint32_t detail = 0, uint16_t part = 0) {
  if (log.enabled()) [[unlikely]]
    log.record(P::now(), kind, task, detail, part);
}

}  // namespace pto2
