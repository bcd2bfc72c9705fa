/// The events of one run, by task and by core, for those who judge them.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "runtime/device/run_result.hpp"
#include "runtime/run/config.hpp"

namespace pto2 {

/// Kinds of events in the life of a task, submit to reclaim, in this order.
inline constexpr uint32_t life_kinds = static_cast<uint32_t>(EventKind::reclaim) + 1;

/// Kinds of events that a block task has once per part.
[[nodiscard]] constexpr bool is_of_a_part(EventKind kind) {
  return kind == EventKind::dispatch || kind == EventKind::ack || kind == EventKind::fin;
}

/// When and where something happened to a task.
struct Moment {
  const Event* event = nullptr;  ///< the first one; null: it never happened
  uint32_t thread = 0;           ///< number of its log
  uint32_t times = 0;            ///< how often it happened
};

/// A group that was allocated.
struct GroupHistory {
  uint32_t cluster;
  const Event* allocated;
  const Event* closed = nullptr;  ///< null: never
};

/// What happened to a part of a task.
struct PartHistory {
  Moment dispatch;
  Moment ack;
  Moment fin;
  int64_t group = -1;  ///< that it joined; -1: none

  /// That of these three kinds.
  [[nodiscard]] const Moment& of(EventKind kind) const {
    return kind == EventKind::dispatch ? dispatch : kind == EventKind::ack ? ack : fin;
  }
};

/// Of a block task `dispatch` and `ack` are the earliest of all parts, and `fin` is the latest.
struct TaskHistory {
  TaskId id;
  int64_t group = -1;  ///< that it joined; -1: none, or its parts did
  std::array<Moment, life_kinds> moments{};
  std::vector<PartHistory> parts{};  ///< of a block task; empty: it is none

  [[nodiscard]] const Moment& of(EventKind kind) const {
    return moments[static_cast<uint32_t>(kind)];
  }
  [[nodiscard]] bool has(EventKind kind) const { return of(kind).times != 0; }
  /// When it happened; `never` if it did not.
  [[nodiscard]] uint64_t time(EventKind kind, uint64_t never) const {
    return has(kind) ? of(kind).event->tick : never;
  }
  /// How often its kernel is to run.
  [[nodiscard]] uint32_t runs() const {
    return parts.empty() ? 1 : static_cast<uint32_t>(parts.size());
  }
  /// What happened in run `i` of its kernel.
  [[nodiscard]] PartHistory run(uint32_t i) const {
    if (!parts.empty()) return parts[i];
    return {of(EventKind::dispatch), of(EventKind::ack), of(EventKind::fin), group};
  }
  /// The core type that the task needs; requires the event `ready`.
  [[nodiscard]] uint32_t type() const { return of(EventKind::ready).event->detail; }
};

/// Threads are numbered as their logs are: the orchestrator, the schedulers, the cores.
class RunHistory {
 public:
  /// Requires one log per logical thread. Refers to `result`, which outlives it.
  RunHistory(const DeviceConfig& config, const RunResult& result);

  /// The tasks of all rings that were submitted in order, ring by ring.
  [[nodiscard]] const std::vector<std::vector<TaskHistory>>& rings() const { return rings_; }
  /// The groups that were allocated in order, by number.
  [[nodiscard]] const std::vector<GroupHistory>& groups() const { return groups_; }
  /// The cluster that a part is pinned to; `any_cluster` if there is none.
  [[nodiscard]] int64_t cluster_of(const PartHistory& part) const {
    if (part.group < 0) return any_cluster;
    return groups_[static_cast<std::size_t>(part.group)].cluster;
  }
  /// How many of the tasks are block tasks.
  [[nodiscard]] uint64_t block_tasks() const { return block_tasks_; }
  /// Null: no such task was submitted.
  [[nodiscard]] const TaskHistory* find(TaskId id) const;
  /// Dispatches to one core or worker, thread by thread.
  [[nodiscard]] const std::vector<const Event*>& dispatches(uint32_t core) const {
    return dispatches_[core];
  }
  /// Those by schedulers; the others are parts that the core claimed itself.
  [[nodiscard]] const std::vector<const Event*>& sent(uint32_t core) const { return sent_[core]; }
  /// How many events of this kind there are, of whichever tasks.
  [[nodiscard]] uint64_t count(EventKind kind) const {
    return counts_[static_cast<uint32_t>(kind)];
  }

  [[nodiscard]] uint32_t threads() const { return 1 + chip_.schedulers + cores(); }
  [[nodiscard]] uint32_t cores() const { return chip_.cores(); }
  /// The cores, then the schedulers, which run tasks themselves.
  [[nodiscard]] uint32_t workers() const { return chip_.workers(); }
  [[nodiscard]] bool is_scheduler(uint32_t thread) const {
    return thread >= 1 && thread <= chip_.schedulers;
  }
  [[nodiscard]] bool is_core(uint32_t thread) const { return thread > chip_.schedulers; }
  /// Of a core or a worker.
  [[nodiscard]] uint32_t thread_of_core(uint32_t core) const {
    return core < cores() ? 1 + chip_.schedulers + core : 1 + core - cores();
  }
  /// The thread of the scheduler that a core or a worker belongs to.
  [[nodiscard]] uint32_t scheduler_of_core(uint32_t core) const {
    return 1 + chip_.scheduler_of(core);
  }
  /// The thread that gives a core its tasks and parts: it claims those of a block task itself that
  /// are not pinned.
  [[nodiscard]] uint32_t dispatcher_of(const TaskHistory& task, const PartHistory& part,
                                       uint32_t core) const {
    const bool claimed = !task.parts.empty() && part.group < 0;
    return claimed ? thread_of_core(core) : scheduler_of_core(core);
  }
  /// That of a cluster.
  [[nodiscard]] uint32_t scheduler_of_cluster(int64_t cluster) const {
    return 1 + chip_.scheduler_of_block(static_cast<uint32_t>(cluster));
  }
  /// That scheduler itself, as a worker.
  [[nodiscard]] uint32_t worker_beside(uint32_t core) const {
    return chip_.worker_of_scheduler(chip_.scheduler_of(core));
  }
  /// Ready tasks of one type for which the queues have room.
  [[nodiscard]] int64_t room(uint32_t type) const { return room_[type]; }
  [[nodiscard]] uint32_t type_of_core(uint32_t core) const {
    return static_cast<uint32_t>(chip_.type_of(core));
  }
  /// `any_cluster` for what is in no block.
  [[nodiscard]] int64_t cluster_of_core(uint32_t core) const {
    return chip_.is_in_block(core) ? int64_t{chip_.place_of(core).block} : any_cluster;
  }
  [[nodiscard]] uint32_t clusters() const { return chip_.blocks; }

 private:
  void add_submissions(const EventLog& orchestrator);
  void add_groups(const EventLog& orchestrator);
  void add(const Event& event, uint32_t thread);
  static void add_part(TaskHistory& task, const Event& event, uint32_t thread);

  Chip chip_;
  std::array<int64_t, core_types> room_{};
  std::vector<std::vector<TaskHistory>> rings_;
  std::vector<GroupHistory> groups_;
  uint64_t block_tasks_ = 0;
  std::vector<std::vector<const Event*>> dispatches_;
  std::vector<std::vector<const Event*>> sent_;
  std::array<uint64_t, event_kinds> counts_{};
};

}  // namespace pto2
