/// Where a scheduler has ready tasks for anybody: its shard of the ready queues, and its backlog of
/// those that found every shard full.
///
///   RT-I1: a task in the backlog is in no queue. It goes into one as soon as there is room, or to
///          an idle core of this scheduler.
///   RT-I2: whoever sleeps with a backlog has said so (PS-I2).
///   RT-I3: whoever sleeps, or runs a task of its own, after it has taken tasks from the queues has
///          rung the orchestrator.
///   RT-I4: what is in its shard it takes before what the orchestrator has pushed: what it has
///          pushed itself at once, what others had no room for elsewhere from the next scan on.
#pragma once

#include <array>
#include <deque>
#include <utility>

#include "runtime/scheduler/scheduler_desk.hpp"

namespace pto2 {

template <executors::ExecutionPolicy P, template <class> class F>
class ReadyTasks {
 public:
  explicit ReadyTasks(SchedulerDesk<P, F>& desk)
      : desk_(desk), shard_(desk.id.value % desk.state.config.shards) {}

  void push(uint32_t type, SlotId task, TaskId id) {
    if (push_to_shard(type, task)) return;
    keep(type, task);
    record<P>(desk_.log, EventKind::backlog, id);
  }
  /// The ticket of a block task, which comes after those that wait already. BP-I4.
  void push_ticket(uint32_t type, SlotId task) {
    keep(type, task);
    scan();
    if (has_backlog(type)) record<P>(desk_.log, EventKind::backlog, desk_.describe(task).id);
  }

  /// Moves tasks from the backlog into the queues, as many as have room. From then on it looks into
  /// its own shard again.
  void scan() {
    own_ = ~0u;
    if (!has_backlog()) [[likely]]
      return;
    desk_.for_each_type([this](uint32_t type) {
      while (has_backlog(type) && push_to_shard(type, backlog_[type].front())) {
        drop_first(type);
        desk_.cores.note_more(type);
      }
    });
  }

  /// The next one for a core of this type, from the queues, or else from the backlog. False: there
  /// is none.
  [[nodiscard]] [[gnu::always_inline]] bool next(uint32_t type, SlotId& task) {
    return next_at_hand(type, task) || next_elsewhere(type, task);
  }
  /// The same where most of them are: in its own shard, unless it has found nothing there since the
  /// last scan and its last push, and in the orchestrator's.
  [[nodiscard]] [[gnu::always_inline]] bool next_at_hand(uint32_t type, SlotId& task) {
    ReadyQueues<P>& queues = desk_.state.ready[type];
    if ((own_ & bit_of(type)) != 0) [[unlikely]] {
      if (queues.pop_from(shard_, task)) return made_room_ = true;
      own_ &= ~bit_of(type);
    }
    if (!queues.pop_orchestrators(task)) return false;
    return made_room_ = true;
  }

  /// Whether it has taken tasks, or tickets, since it was asked last. The orchestrator may wait for
  /// room in the queues, or for the slot that a ticket has held: it is to be rung, before a kernel
  /// of a task of the scheduler's own, too.
  [[nodiscard]] bool has_made_room() { return std::exchange(made_room_, false); }
  [[nodiscard]] bool has_backlog(uint32_t type) const { return (kept_ & bit_of(type)) != 0; }
  /// Of any type.
  [[nodiscard]] bool has_backlog() const { return kept_ != 0; }

  /// Before sleeping: who has idle cores asks for the tasks that others could not place, and who
  /// has such tasks rings somebody with idle cores. PS-I2.
  void exchange_backlog(uint32_t type) {
    auto& parked = desk_.state.parked[type];
    if (has_backlog(type)) {
      parked.fall_behind(desk_.id);
      behind_ |= bit_of(type);
      desk_.state.wake_one(type);
    } else if (desk_.can_take(type)) {
      parked.for_each_behind([&](SchedulerId s) { desk_.state.scheduler_bells[s.value].ring(); });
    }
  }
  /// After it.
  void catch_up() {
    if (behind_ == 0) [[likely]]
      return;
    desk_.for_each_type([this](uint32_t type) {
      if ((behind_ & bit_of(type)) != 0) desk_.state.parked[type].catch_up(desk_.id);
    });
    behind_ = 0;
  }

 private:
  static constexpr uint32_t bit_of(uint32_t type) { return 1u << type; }

  void keep(uint32_t type, SlotId task) {
    backlog_[type].push_back(task);
    kept_ |= bit_of(type);
  }
  void drop_first(uint32_t type) {
    backlog_[type].pop_front();
    if (backlog_[type].empty()) kept_ &= ~bit_of(type);
  }
  [[nodiscard]] bool push_to_shard(uint32_t type, SlotId task) {
    own_ |= bit_of(type);
    return desk_.state.ready[type].push(shard_, task);
  }
  [[nodiscard]] [[gnu::noinline]] bool next_elsewhere(uint32_t type, SlotId& task);

  SchedulerDesk<P, F>& desk_;
  const uint32_t shard_;
  uint32_t own_ = ~0u;   ///< bit t: there may be tasks of type t in its own shard
  uint32_t kept_ = 0;    ///< bit t: the backlog of type t is not empty
  uint32_t behind_ = 0;  ///< bit t: it sleeps, and has said that it has such a backlog
  std::array<std::deque<SlotId>, core_types> backlog_;
  bool made_room_ = false;
};

/// In the shards of others, or in the backlog.
template <executors::ExecutionPolicy P, template <class> class F>
bool ReadyTasks<P, F>::next_elsewhere(uint32_t type, SlotId& task) {
  if (desk_.state.ready[type].steal(shard_, task)) {
    ++desk_.counts.steals;
    return made_room_ = true;
  }
  if (!has_backlog(type)) return false;
  task = backlog_[type].front();
  drop_first(type);
  return made_room_ = true;
}

}  // namespace pto2
