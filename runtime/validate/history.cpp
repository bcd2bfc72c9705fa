#include "runtime/validate/history.hpp"

#include <algorithm>

namespace pto2::validation {
namespace {

void note(Moment& moment, uint32_t event) {
  if (moment.times++ == 0) moment.event = event;
}

}  // namespace

History::History(const Trace& trace)
    : trace_(trace), tasks_(trace.submissions.size()), rings_(trace.rings.size()) {
  add_submissions();
  for (uint32_t i = 0; i < trace.events.size(); ++i) add(i);
  for (uint32_t task = 0; task < tasks_.size(); ++task) find_fin(task);
}

void History::add_submissions() {
  std::size_t parts = 0;
  for (uint32_t task = 0; task < tasks_.size(); ++task) {
    const Submission& submission = trace_.submissions[task];
    tasks_[task].first_part = static_cast<uint32_t>(parts);
    parts += submission.parts();
    auto& ring = rings_[submission.task.ring];
    if (submission.task.number == ring.size()) {
      ring.push_back(task);
    } else {
      out_of_turn_.push_back(task);
      tasks_[task].whole = false;
    }
  }
  parts_.resize(parts);
}

uint32_t History::find(const TaskName& task) const {
  const auto& ring = rings_[task.ring];
  return task.number < ring.size() ? ring[task.number] : no_index;
}

void History::add(uint32_t number) {
  const Event& event = trace_.events[number];
  if (!is_of_a_task(event.kind) || event.kind == Kind::submit) return;
  const uint32_t task = find({event.ring, event.number});
  if (task == no_index || event.part >= trace_.submissions[task].parts()) {
    strays_.push_back(number);
    if (task != no_index) tasks_[task].whole = false;
    return;
  }
  PartHistory& part = parts_[tasks_[task].first_part + event.part];
  switch (event.kind) {
    case Kind::ready:
      return note(tasks_[task].ready, number);
    case Kind::dispatch:
      return note(part.dispatch, number);
    case Kind::ack:
      return note(part.ack, number);
    case Kind::fin:
      return note(part.fin, number);
    case Kind::consume:
      return note(tasks_[task].consume, number);
    case Kind::reclaim:
      return note(tasks_[task].reclaim, number);
    case Kind::join:
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
    if (last == no_index || trace_.events[fin].t > trace_.events[last].t) last = fin;
  }
  tasks_[task].fin = last;
}

void History::need(uint32_t task, uint32_t event) {
  TaskHistory& history = tasks_[task];
  if (event == no_index) {
    history.needs_more = true;
  } else if (history.needed == no_index ||
             trace_.events[event].t > trace_.events[history.needed].t) {
    history.needed = event;
  }
}

std::vector<uint32_t> History::scope_ends() const {
  std::vector<std::vector<uint32_t>> open;
  std::vector<uint32_t> ends(tasks_.size(), no_index);
  uint32_t task = 0;
  for (uint32_t i = 0; i < trace_.events.size(); ++i) {
    switch (trace_.events[i].kind) {
      case Kind::scope_begin:
        open.emplace_back();
        break;
      case Kind::submit:
        if (!open.empty()) open.back().push_back(task);
        ++task;
        break;
      case Kind::scope_end:
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
    const Submission& submission = trace_.submissions[task];
    need(task, tasks_[task].fin);
    need(task, ends[task]);
    if (!tasks_[task].whole) continue;
    const auto use = [&](const TaskName& used) {
      const uint32_t of = find(used);
      if (of != no_index) need(of, tasks_[task].fin);
    };
    for (const Producer& producer : submission.producers) {
      if (producer.claim != Claim::none) use(producer.task);
    }
    for (const TaskName& held : submission.holds) use(held);
  }
}

}  // namespace pto2::validation
