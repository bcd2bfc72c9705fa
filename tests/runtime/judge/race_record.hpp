/// A record of tasks for VR-I23 alone: their submissions, and when they ended.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/judge/rules.hpp"

namespace pto2::test {

/// Bytes of one memory of the caller, in one piece.
inline ParamRecord piece_of(Direction direction, uint64_t begin, uint64_t bytes,
                            uint64_t memory = 0) {
  return {.direction = direction,
          .external = true,
          .memory = memory,
          .element = 1,
          .origin = begin,
          .dims = 1,
          .strides = {1},
          .start = {0},
          .extent = {bytes}};
}

/// When a task has ended, and was consumed between two times. 0: never.
struct TaskEnd {
  uint64_t fin = 0;
  uint64_t after = 0;
  uint64_t consumed = 0;
};

/// Tasks that are submitted one after the other, each in a scope of its own, at 10, 20, ..
class RaceRecord {
 public:
  RaceRecord() {
    record_.rings.resize(1);
    record_.threads = {"orchestrator", "scheduler0", "aiv0"};
    record_.roles = {Role::orchestrator, Role::scheduler, Role::core};
  }

  /// `producers` are numbers of older tasks. Returns the number of this one.
  uint32_t submit(std::vector<ParamRecord> params, const std::vector<uint32_t>& producers,
                  const TaskEnd& end = {}) {
    const auto number = static_cast<uint32_t>(record_.tasks.size());
    TaskRecord task;
    task.task = make_id(0, number);
    for (const uint32_t producer : producers) {
      task.producers.push_back({make_id(0, producer), Claim::linked});
    }
    task.params = std::move(params);
    const uint64_t time = 10 * (uint64_t{number} + 1);
    record_.events.push_back({.t = time - 1, .kind = EventKind::scope_begin});
    record_.events.push_back({.t = time, .task = task.task, .kind = EventKind::submit});
    record_.events.push_back({.t = time + 1, .kind = EventKind::scope_end});
    if (end.fin != 0) {
      record_.events.push_back(
          {.t = end.fin, .task = task.task, .thread = 2, .kind = EventKind::fin});
    }
    if (end.consumed != 0) {
      record_.events.push_back({.t = end.consumed,
                                .before = end.after,
                                .task = task.task,
                                .thread = 1,
                                .kind = EventKind::consume});
    }
    record_.tasks.push_back(std::move(task));
    return number;
  }

  /// To be altered.
  TaskRecord& task(uint32_t number) { return record_.tasks[number]; }

  [[nodiscard]] Record record() const {
    Record record = record_;
    std::ranges::stable_sort(record.events, {}, &Event::t);
    uint32_t number = 0;
    for (Event& event : record.events) {
      if (event.kind == EventKind::submit) record.tasks[local_of(event.task)].event = number;
      event.line = number++ + 2;
    }
    return record;
  }

 private:
  Record record_;
};

/// What VR-I23, and nothing else, says of a record.
inline judging::Verdict races_of(const Record& record) {
  judging::History history(record);
  history.find_needs();
  judging::Findings findings(record, history);
  judging::check_races({record, history, findings});
  return findings.take();
}

}  // namespace pto2::test
