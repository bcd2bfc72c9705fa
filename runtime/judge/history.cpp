#include "runtime/judge/history.hpp"

#include <algorithm>

namespace pto2::judging {
namespace {

void note(Moment& moment, uint32_t event) {
  if (moment.times++ == 0) moment.event = event;
}

}  // namespace

History::History(const Record& record)
    : record_(record), tasks_(record.tasks.size()), rings_(record.rings.size()) {
  add_submissions();
  for (uint32_t i = 0; i < record.events.size(); ++i) add(i);
  for (uint32_t task = 0; task < tasks_.size(); ++task) find_fin(task);
}

void History::add_submissions() {
  std::size_t parts = 0;
  for (uint32_t task = 0; task < tasks_.size(); ++task) {
    const TaskRecord& submission = record_.tasks[task];
    tasks_[task].first_part = static_cast<uint32_t>(parts);
    parts += submission.parts();
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

uint32_t History::find(TaskId task) const {
  if (ring_of(task).value >= rings_.size()) return no_index;
  const auto& ring = rings_[ring_of(task).value];
  return local_of(task) < ring.size() ? ring[local_of(task)] : no_index;
}

void History::add(uint32_t number) {
  const Event& event = record_.events[number];
  if (!is_of_a_task(event.kind) || event.kind == EventKind::submit) return;
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
  std::vector<std::vector<uint32_t>> open;
  std::vector<uint32_t> ends(tasks_.size(), no_index);
  uint32_t task = 0;
  for (uint32_t i = 0; i < record_.events.size(); ++i) {
    switch (record_.events[i].kind) {
      case EventKind::scope_begin:
        open.emplace_back();
        break;
      case EventKind::submit:
        if (!open.empty()) open.back().push_back(task);
        ++task;
        break;
      case EventKind::scope_end:
        if (open.empty()) break;
        for (const uint32_t of_scope : open.back()) ends[of_scope] = i;
        open.pop_back();
        break;
      default:
        break;
    }
  }
  return ends;
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
