/// A made-up run: events and counts that can be edited, judged as a record.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "runtime/device/run_record.hpp"
#include "runtime/device/thread_names.hpp"
#include "runtime/judge/judge.hpp"

namespace pto2::test {

// Two schedulers, each with a block: these are the numbers of their logs.
inline constexpr uint32_t orchestrator = 0;
inline constexpr uint32_t scheduler0 = 1;
inline constexpr uint32_t scheduler1 = 2;
inline constexpr uint32_t aic0 = 3;
inline constexpr uint32_t aic1 = 4;
inline constexpr uint32_t aiv0 = 5;
inline constexpr uint32_t aiv1 = 6;
inline constexpr uint32_t aiv2 = 7;
inline constexpr uint32_t threads = 9;
inline constexpr uint32_t first_core = aic0;

inline constexpr uint32_t cube = 0;
inline constexpr uint32_t vector = 1;

inline constexpr TaskId a = make_id(0, 0);
inline constexpr TaskId b = make_id(0, 1);
inline constexpr TaskId c = make_id(0, 2);
inline constexpr TaskId d = make_id(0, 3);

/// A run that can be edited. As it is made, task a runs on aic0, b waits for a and runs on aiv0, c
/// and d run on aiv2, one after the other; for d the orchestrator waits for a slot, and scheduler1
/// parks once. No task has parameters.
class Story {
  using enum EventKind;

 public:
  Story() : logs_(threads) {
    config.rings = 1;
    config.window = 4;
    config.chip.schedulers = 2;
    config.chip.clusters = 2;
    tell_orchestrator();
    tell_schedulers();
    run_on(aic0, {{a, 25}}, 90);
    run_on(aiv0, {{b, 45}}, 91);
    run_on(aiv2, {{c, 24}, {d, 64}}, 92);
    for (const uint32_t thread : {aic1, aiv1, aiv2 + 1}) run_on(thread, {}, 93);
    result.tasks = result.dispatches = result.acks = result.fins = result.completions = 4;
    result.waits = result.scheduler_parks = result.edges_linked = 1;
    result.peak_window = 3;
    result.host_threads = threads;
  }

  void add(uint32_t thread, uint64_t time, EventKind kind, TaskId task = no_task,
           uint32_t place = 0, uint32_t part = 0) {
    logs_[thread].push_back({.t = time, .task = task, .part = part, .place = place, .kind = kind});
  }
  /// The same in its place in time.
  void insert(uint32_t thread, uint64_t time, EventKind kind, TaskId task = no_task,
              uint32_t place = 0, uint32_t part = 0) {
    auto& log = logs_[thread];
    const auto later =
        std::find_if(log.begin(), log.end(), [&](const Event& event) { return event.t > time; });
    log.insert(later, {.t = time, .task = task, .part = part, .place = place, .kind = kind});
  }
  /// The first event of this kind about the task.
  Event& at(uint32_t thread, EventKind kind, TaskId task = no_task) {
    return *find(thread, kind, task);
  }
  void erase(uint32_t thread, EventKind kind, TaskId task = no_task) {
    logs_[thread].erase(find(thread, kind, task));
  }
  /// All events of the thread, to be reordered.
  std::vector<Event>& log(uint32_t thread) { return logs_[thread]; }

  [[nodiscard]] Record record() const {
    std::vector<EventLog> logs;
    std::vector<TaskRecord> tasks;
    for (uint32_t thread = 0; thread < threads; ++thread) {
      const std::string name = thread == 0 ? orchestrator_name
                               : thread <= scheduler1
                                   ? scheduler_name(thread - 1)
                                   : config.chip.name_of(CoreId(thread - first_core));
      EventLog& log = logs.emplace_back(name, capacity);
      for (const Event& event : logs_[thread]) {
        log.record(event);
        if (event.kind == submit) tasks.push_back(task_of(event));
      }
    }
    std::vector<const EventLog*> pointers;
    for (const EventLog& log : logs) pointers.push_back(&log);
    return make_record(config, result, pointers, tasks);
  }
  [[nodiscard]] std::vector<std::string> broken(std::optional<uint64_t> idle_limit = {}) const {
    return judging::problems_of(record(), {.idle_limit = idle_limit});
  }

  DeviceConfig config;
  RunResult result;
  std::size_t capacity = 32;
  std::map<uint64_t, uint32_t> block_dims;  ///< of block tasks, by id
  std::map<uint64_t, uint32_t> clusters;    ///< of pinned tasks, all of group 0, by id
  TaskId own_task = no_task;                ///< that a scheduler runs itself

 private:
  /// Task a writes eight bytes, which b reads.
  [[nodiscard]] TaskRecord task_of(const Event& event) const {
    TaskRecord task;
    task.task = event.task;
    task.type = static_cast<uint32_t>(event.task == a          ? CoreType::cube
                                      : event.task == own_task ? CoreType::ai_cpu
                                                               : CoreType::vector);
    task.scope = event.task == c ? 2 : event.task == d ? 3 : 1;
    task.depth = 1;
    task.heap_begin = event.task == a ? 0 : 8;
    task.heap_bytes = event.task == a ? 8 : 0;
    task.first_node = event.task == a || event.task == b ? 1 : 2;
    const auto parts = block_dims.find(event.task.value);
    if (parts != block_dims.end()) task.block_dim = parts->second;
    const auto pinned = clusters.find(event.task.value);
    if (pinned != clusters.end()) {
      task.cluster = pinned->second;
      task.group = 0;
    }
    if (event.task == a || event.task == b) {
      task.params.push_back({.direction = event.task == a ? Direction::out : Direction::in,
                             .owner = a,
                             .element = 8,
                             .dims = 1,
                             .strides = {1},
                             .start = {0},
                             .extent = {1}});
    }
    if (event.task == b) {
      task.producers.push_back({a, Claim::linked});
      task.nodes = 1;
    }
    return task;
  }

  std::vector<Event>::iterator find(uint32_t thread, EventKind kind, TaskId task) {
    auto& log = logs_[thread];
    const auto found = std::find_if(log.begin(), log.end(), [&](const Event& event) {
      return event.kind == kind && event.task == task;
    });
    EXPECT_NE(found, log.end());
    return found;
  }

  void add_scope(uint64_t time, EventKind kind, uint64_t scope, uint32_t depth) {
    logs_[orchestrator].push_back({.t = time, .scope = scope, .place = depth, .kind = kind});
  }

  void tell_orchestrator() {
    add_scope(8, scope_begin, 0, 0);
    add_scope(9, scope_begin, 1, 1);
    add(orchestrator, 10, submit, a);
    add(orchestrator, 11, ready, a, cube);
    add(orchestrator, 12, submit, b);
    add_scope(13, scope_end, 1, 1);
    add_scope(13, scope_begin, 2, 1);
    add(orchestrator, 14, submit, c);
    add(orchestrator, 15, ready, c, vector);
    add_scope(15, scope_end, 2, 1);
    add_scope(15, scope_begin, 3, 1);
    add(orchestrator, 16, wait, d);
    logs_[orchestrator].back().lacking = Resource::task_ring;
    logs_[orchestrator].back().requested = 1;
    add(orchestrator, 52, submit, d);
    add(orchestrator, 53, ready, d, vector);
    add_scope(54, scope_end, 3, 1);
    add_scope(54, scope_end, 0, 0);
    add(orchestrator, 55, wait);
    add(orchestrator, 99, exit);
  }

  void tell_schedulers() {
    add(scheduler0, 1, wait);
    add(scheduler0, 20, dispatch, a, aic0 - first_core);
    add(scheduler0, 40, ready, b, vector);
    add(scheduler0, 43, dispatch, b, aiv0 - first_core);
    add(scheduler0, 51, consume, a);
    add(scheduler0, 51, reclaim, a);
    add(scheduler0, 60, consume, b);
    add(scheduler0, 61, reclaim, b);
    add(scheduler0, 62, reclaim, c);
    add(scheduler0, 95, exit);
    add(scheduler1, 1, wait);
    add(scheduler1, 5, wait);
    add(scheduler1, 22, dispatch, c, aiv2 - first_core);
    add(scheduler1, 50, consume, c);
    add(scheduler1, 55, dispatch, d, aiv2 - first_core);
    add(scheduler1, 75, consume, d);
    add(scheduler1, 76, reclaim, d);
    add(scheduler1, 96, exit);
  }

  /// Each task is taken at its time and takes 5.
  void run_on(uint32_t core, const std::vector<std::pair<TaskId, uint64_t>>& tasks, uint64_t left) {
    add(core, 2, wait);
    for (const auto& [task, time] : tasks) {
      add(core, time, ack, task);
      add(core, time + 5, fin, task);
      add(core, time + 6, wait);
    }
    add(core, left, exit);
  }

  std::vector<std::vector<Event>> logs_;
};

/// Matches what is broken if one of it says this.
inline auto tells(const std::string& text) {
  return testing::Contains(testing::HasSubstr(text));
}

/// Breaks this rule and no other.
inline void expect_broken(const Story& story, const std::string& rule, const std::string& text,
                          std::optional<uint64_t> idle_limit = {}) {
  const std::vector<std::string> broken = story.broken(idle_limit);
  EXPECT_THAT(broken, testing::Not(testing::IsEmpty()));
  EXPECT_THAT(broken, testing::Each(testing::HasSubstr(": " + rule + ": ")));
  EXPECT_THAT(broken, testing::Contains(testing::HasSubstr(text)));
}

/// The run as it was given up before b was dispatched and d submitted: a and c have run.
inline Story given_up() {
  using enum EventKind;
  Story story;
  story.result.error.code = ErrorCode::bad_submission;
  for (uint32_t thread = 0; thread < threads; ++thread) {
    std::erase_if(story.log(thread), [&](const Event& event) {
      const bool of_b = event.task == b && event.kind != submit && event.kind != ready;
      return of_b || event.task == d || event.kind == consume || event.kind == reclaim;
    });
  }
  story.log(aiv0).erase(story.log(aiv0).begin() + 1);
  story.log(aiv2).erase(story.log(aiv2).begin() + 4);
  story.result.tasks = 3;
  story.result.waits = 0;
  story.result.dispatches = story.result.acks = story.result.fins = 2;
  story.result.completions = 1;
  return story;
}

}  // namespace pto2::test
