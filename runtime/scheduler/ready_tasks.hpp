/// Where a scheduler has ready tasks for anybody: its shard of the ready queues, and its backlog of
/// those that found every shard full.
///
///   RT-I1: a task in the backlog is in no queue. It goes into one as soon as there is room, or to
///          an idle core of this scheduler.
///   RT-I2: whoever sleeps with a backlog has said so (PS-I2).
///   RT-I3: whoever sleeps after it has taken tasks from the queues has rung the orchestrator.
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
    if (desk_.state.ready[type].push(shard_, task)) return;
    backlog_[type].push_back(task);
    record<P>(desk_.log, EventKind::backlog, id);
  }
  /// The ticket of a block task, which comes after those that wait already. BP-I4.
  void push_ticket(uint32_t type, SlotId task) {
    backlog_[type].push_back(task);
    scan();
    if (has_backlog(type)) record<P>(desk_.log, EventKind::backlog, desk_.describe(task).id);
  }

  /// Moves tasks from the backlog into the queues, as many as have room.
  void scan() {
    desk_.for_each_type([this](uint32_t type) {
      auto& backlog = backlog_[type];
      while (!backlog.empty() && desk_.state.ready[type].push(shard_, backlog.front())) {
        backlog.pop_front();
        desk_.cores[type].more = true;
      }
    });
  }

  /// The next one for a core of this type, from the queues, or else from the backlog. False: there
  /// is none.
  [[nodiscard]] [[gnu::always_inline]] bool next(uint32_t type, SlotId& task) {
    if (const auto popped = desk_.state.ready[type].pop(shard_)) {
      if (popped->stolen) ++desk_.counts.steals;
      made_room_ = true;
      task = popped->slot;
      return true;
    }
    auto& backlog = backlog_[type];
    if (backlog.empty()) return false;
    task = backlog.front();
    backlog.pop_front();
    return true;
  }

  /// Whether it has taken tasks from the queues since it was asked last. The orchestrator may wait
  /// for room there.
  [[nodiscard]] bool has_made_room() { return std::exchange(made_room_, false); }
  [[nodiscard]] bool has_backlog(uint32_t type) const { return !backlog_[type].empty(); }

  /// Before sleeping: who has idle cores asks for the tasks that others could not place, and who
  /// has such tasks rings somebody with idle cores. PS-I2.
  void exchange_backlog(uint32_t type) {
    auto& parked = desk_.state.parked[type];
    if (has_backlog(type)) {
      parked.fall_behind(desk_.id);
      desk_.state.wake_one(type);
    } else if (desk_.can_take(type)) {
      parked.for_each_behind([&](SchedulerId s) { desk_.state.scheduler_bells[s.value].ring(); });
    }
  }
  /// After it.
  void catch_up(uint32_t type) {
    if (has_backlog(type)) desk_.state.parked[type].catch_up(desk_.id);
  }

 private:
  SchedulerDesk<P, F>& desk_;
  const uint32_t shard_;
  std::array<std::deque<SlotId>, core_types> backlog_;
  bool made_room_ = false;
};

}  // namespace pto2
