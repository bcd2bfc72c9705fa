#include "runtime/judge/history.hpp"

#include <algorithm>
#include <numeric>

namespace pto2::judging {
namespace {

void note(Moment& moment, uint32_t event) {
  if (moment.times++ == 0) moment.event = event;
}

}  // namespace

History::History(const Record& record)
    : record_(record), tasks_(record.tasks.size()), rings_(record.rings.size()) {
  add_submissions();
  sort_by_kind();
  for (const EventRow& row : event_table()) {
    if (!row.has(EventField::task) || row.kind == EventKind::submit) continue;
    for (const uint32_t number : of_kind(row.kind)) add(number);
  }
  for (uint32_t task = 0; task < tasks_.size(); ++task) find_fin(task);
}

void History::add_submissions() {
  std::size_t parts = 0;
  std::size_t params = 0;
  for (const TaskRecord& task : record_.tasks) params += task.params.size();
  bytes_.reserve(params);
  for (uint32_t task = 0; task < tasks_.size(); ++task) {
    const TaskRecord& submission = record_.tasks[task];
    tasks_[task].first_part = static_cast<uint32_t>(parts);
    parts += submission.parts();
    tasks_[task].first_param = static_cast<uint32_t>(bytes_.size());
    for (const ParamRecord& param : submission.params) bytes_.push_back(param.bytes());
    auto& ring = rings_[ring_of(submission.task).value];
    if (local_of(submission.task) == ring.size()) {
      ring.push_back(task);
    } else {
      out_of_turn_.push_back(task);
      tasks_[task].whole = false;
    }
  }
  parts_.resize(parts);
}

void History::sort_by_kind() {
  for (const Event& event : record_.events) ++kinds_[static_cast<std::size_t>(event.kind) + 1];
  std::partial_sum(kinds_.begin(), kinds_.end(), kinds_.begin());
  auto next = kinds_;
  by_kind_.resize(record_.events.size());
  of_orchestration_.reserve(record_.events.size());
  for (uint32_t i = 0; i < by_kind_.size(); ++i) {
    const Event& event = record_.events[i];
    by_kind_[next[static_cast<std::size_t>(event.kind)]++] = i;
    if (is_of_orchestration(event)) of_orchestration_.push_back(i);
  }
}

bool History::is_of_orchestration(const Event& event) const {
  if (record_.roles[event.thread] == Role::orchestrator) return true;
  const Roles takers = row_of(event.kind).recorded_by;
  switch (event.kind) {
    case EventKind::reclaim:
    case EventKind::give_back:
      return true;
    case EventKind::wait:
      return event.lacking.has_value();
    default:
      return !takers.has(Role::scheduler) && !takers.has(Role::core);
  }
}

/// An event of a task, of which those of each kind come in their order.
void History::add(uint32_t number) {
  const Event& event = record_.events[number];
  const uint32_t task = find(event.task);
  if (task == no_index || event.part >= record_.tasks[task].parts()) {
    strays_.push_back(number);
    if (task != no_index) tasks_[task].whole = false;
    return;
  }
  PartHistory& part = parts_[tasks_[task].first_part + event.part];
  switch (event.kind) {
    case EventKind::ready:
      return note(tasks_[task].ready, number);
    case EventKind::dispatch:
      return note(part.dispatch, number);
    case EventKind::ack:
      return note(part.ack, number);
    case EventKind::fin:
      return note(part.fin, number);
    case EventKind::consume:
      return note(tasks_[task].consume, number);
    case EventKind::reclaim:
      return note(tasks_[task].reclaim, number);
    case EventKind::join:
      if (part.join == no_index) part.join = number;
      return;
    default:
      return;
  }
}

void History::find_fin(uint32_t task) {
  uint32_t last = no_index;
  for (const PartHistory& part : parts(task)) {
    if (!part.fin.has()) return;
    const uint32_t fin = part.fin.event;
    if (last == no_index || record_.events[fin].t > record_.events[last].t) last = fin;
  }
  tasks_[task].fin = last;
}

void History::need(uint32_t task, uint32_t event) {
  TaskHistory& history = tasks_[task];
  if (event == no_index) {
    history.needs_more = true;
  } else if (history.needed == no_index ||
             record_.events[event].t > record_.events[history.needed].t) {
    history.needed = event;
  }
}

std::vector<uint32_t> History::scope_ends() const {
  std::vector<uint32_t> ends;    // of the scopes, in the order in which they began
  std::vector<uint32_t> open;    // scopes
  std::vector<uint32_t> scopes;  // of the tasks
  scopes.reserve(tasks_.size());
  for (const uint32_t i : of_orchestration_) {
    switch (record_.events[i].kind) {
      case EventKind::scope_begin:
        open.push_back(static_cast<uint32_t>(ends.size()));
        ends.push_back(no_index);
        break;
      case EventKind::submit:
        scopes.push_back(open.empty() ? no_index : open.back());
        break;
      case EventKind::scope_end:
        if (open.empty()) break;
        ends[open.back()] = i;
        open.pop_back();
        break;
      default:
        break;
    }
  }
  scopes.resize(tasks_.size(), no_index);
  for (uint32_t& scope : scopes) scope = scope == no_index ? no_index : ends[scope];
  return scopes;
}

void History::find_needs() {
  const std::vector<uint32_t> ends = scope_ends();
  for (uint32_t task = 0; task < tasks_.size(); ++task) {
    const TaskRecord& submission = record_.tasks[task];
    need(task, tasks_[task].fin);
    need(task, ends[task]);
    if (!tasks_[task].whole) continue;
    const auto use = [&](TaskId used) {
      const uint32_t of = find(used);
      if (of != no_index) need(of, tasks_[task].fin);
    };
    for (const ProducerRecord& producer : submission.producers) {
      if (producer.claim != Claim::none) use(producer.task);
    }
    for (const TaskId held : submission.holds) use(held);
  }
}

}  // namespace pto2::judging
