#include "runtime/device/run_history.hpp"

namespace pto2 {

RunHistory::RunHistory(const DeviceConfig& config, const RunResult& result)
    : chip_(config.chip),
      rings_(config.rings),
      dispatches_(config.chip.workers()),
      sent_(config.chip.workers()) {
  for (uint32_t type = 0; type < core_types; ++type) {
    const auto core_type = static_cast<CoreType>(type);
    room_[type] =
        int64_t{config.shards} * config.shard_room(core_type) + config.orchestrator_room(core_type);
  }
  add_submissions(result.events[0]);
  add_groups(result.events[0]);
  for (uint32_t thread = 0; thread < threads(); ++thread) {
    for (const Event& event : result.events[thread].events()) add(event, thread);
  }
}

const TaskHistory* RunHistory::find(TaskId id) const {
  const uint32_t ring = ring_of(id);
  if (ring >= rings_.size() || local_of(id) >= rings_[ring].size()) return nullptr;
  return &rings_[ring][local_of(id)];
}

void RunHistory::add_submissions(const EventLog& orchestrator) {
  for (const Event& event : orchestrator.events()) {
    const uint32_t ring = ring_of(event.task);
    if (event.kind != EventKind::submit || ring >= rings_.size()) continue;
    if (local_of(event.task) != rings_[ring].size()) continue;
    rings_[ring].push_back({event.task});
    rings_[ring].back().parts.resize(event.part);
    if (event.part != 0) ++block_tasks_;
  }
}

/// What is out of turn is left out: it is for the rules to say so (group_rules.hpp).
void RunHistory::add_groups(const EventLog& orchestrator) {
  for (const Event& event : orchestrator.events()) {
    const uint64_t number = event.kind == EventKind::join ? event.detail : event.task.value;
    if (event.kind == EventKind::allocate && number == groups_.size()) {
      groups_.push_back({event.detail, &event});
    }
    if (number >= groups_.size()) continue;
    if (event.kind == EventKind::close) groups_[number].closed = &event;
    if (event.kind != EventKind::join || find(event.task) == nullptr) continue;
    TaskHistory& task = rings_[ring_of(event.task)][local_of(event.task)];
    if (task.parts.empty()) task.group = static_cast<int64_t>(number);
    if (event.part < task.parts.size()) task.parts[event.part].group = static_cast<int64_t>(number);
  }
}

void RunHistory::add(const Event& event, uint32_t thread) {
  const auto kind = static_cast<uint32_t>(event.kind);
  ++counts_[kind];
  if (kind >= life_kinds) return;
  if (event.kind == EventKind::dispatch && event.detail < workers()) {
    dispatches_[event.detail].push_back(&event);
    if (is_scheduler(thread)) sent_[event.detail].push_back(&event);
  }
  if (find(event.task) == nullptr) return;
  TaskHistory& task = rings_[ring_of(event.task)][local_of(event.task)];
  Moment& moment = task.moments[kind];
  const bool later = moment.times != 0 && moment.event->tick <= event.tick;
  const bool of_a_part = !task.parts.empty() && is_of_a_part(event.kind);
  if (moment.times++ == 0 || (of_a_part && later == (event.kind == EventKind::fin))) {
    moment.event = &event;
    moment.thread = thread;
  }
  if (of_a_part) add_part(task, event, thread);
}

void RunHistory::add_part(TaskHistory& task, const Event& event, uint32_t thread) {
  if (event.part >= task.parts.size()) return;
  PartHistory& part = task.parts[event.part];
  Moment& moment = event.kind == EventKind::dispatch ? part.dispatch
                   : event.kind == EventKind::ack    ? part.ack
                                                     : part.fin;
  if (moment.times++ == 0) {
    moment.event = &event;
    moment.thread = thread;
  }
}

}  // namespace pto2
