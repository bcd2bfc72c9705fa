/// A made-up run: event logs and counts that can be edited, to be judged by run_rules.hpp.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "runtime/device/run_rules.hpp"
#include "runtime/device/thread_names.hpp"

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
inline constexpr TaskId c = make_id(1, 0);
inline constexpr TaskId d = make_id(1, 1);

/// A run that can be edited. As it is made, task a runs on aic0, b waits for a and runs on aiv0, c
/// and d run on aiv2, one after the other; the orchestrator meets back-pressure once, and
/// scheduler1 parks once.
class Story {
  using enum EventKind;

 public:
  Story() : logs_(threads) {
    config.window = 4;
    config.chip.schedulers = 2;
    config.chip.blocks = 2;
    tell_orchestrator();
    tell_schedulers();
    run_on(aic0, {{a, 25}}, 90);
    run_on(aiv0, {{b, 45}}, 91);
    run_on(aiv2, {{c, 24}, {d, 64}}, 92);
    for (const uint32_t thread : {aic1, aiv1, aiv2 + 1}) run_on(thread, {}, 93);
    result.tasks = result.dispatches = result.acks = result.fins = result.completions = 4;
    result.waits = result.scheduler_parks = 1;
    result.peak_window = 2;
    result.host_threads = threads;
  }

  void add(uint32_t thread, uint64_t time, EventKind kind, TaskId task = no_task,
           uint32_t detail = 0, uint16_t part = 0) {
    logs_[thread].push_back({time, task, detail, part, kind});
  }
  /// The same in its place in time.
  void insert(uint32_t thread, uint64_t time, EventKind kind, TaskId task = no_task,
              uint32_t detail = 0, uint16_t part = 0) {
    auto& log = logs_[thread];
    const auto later =
        std::find_if(log.begin(), log.end(), [&](const Event& event) { return event.tick > time; });
    log.insert(later, {time, task, detail, part, kind});
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

  std::vector<std::string> broken(uint64_t idle_limit = idle_core_limit) {
    result.events.clear();
    for (uint32_t thread = 0; thread < threads; ++thread) {
      const std::string name = thread == 0            ? orchestrator_name
                               : thread <= scheduler1 ? scheduler_name(thread - 1)
                                                      : config.chip.core_name(thread - first_core);
      EventLog& log = result.events.emplace_back(name, capacity);
      for (const Event& e : logs_[thread]) log.record(e.tick, e.kind, e.task, e.detail, e.part);
    }
    return broken_rules(config, result, idle_limit);
  }

  DeviceConfig config;
  RunResult result;
  std::size_t capacity = 32;

 private:
  std::vector<Event>::iterator find(uint32_t thread, EventKind kind, TaskId task) {
    auto& log = logs_[thread];
    const auto found = std::find_if(log.begin(), log.end(), [&](const Event& event) {
      return event.kind == kind && event.task == task;
    });
    EXPECT_NE(found, log.end());
    return found;
  }

  void tell_orchestrator() {
    add(orchestrator, 10, submit, a);
    add(orchestrator, 11, ready, a, cube);
    add(orchestrator, 12, submit, b);
    add(orchestrator, 14, submit, c);
    add(orchestrator, 15, ready, c, vector);
    add(orchestrator, 16, wait, make_id(1, 1), 2);
    add(orchestrator, 52, submit, d);
    add(orchestrator, 53, ready, d, vector);
    add(orchestrator, 54, wait);
    add(orchestrator, 80, exit);
  }

  void tell_schedulers() {
    add(scheduler0, 1, wait);
    add(scheduler0, 20, dispatch, a, aic0 - first_core);
    add(scheduler0, 40, ready, b, vector);
    add(scheduler0, 41, consume, a);
    add(scheduler0, 42, reclaim, a);
    add(scheduler0, 43, dispatch, b, aiv0 - first_core);
    add(scheduler0, 60, consume, b);
    add(scheduler0, 61, reclaim, b);
    add(scheduler0, 95, exit);
    add(scheduler1, 1, wait);
    add(scheduler1, 5, wait);
    add(scheduler1, 22, dispatch, c, aiv2 - first_core);
    add(scheduler1, 50, consume, c);
    add(scheduler1, 51, reclaim, c);
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

/// Breaks this rule and no other.
inline void expect_broken(Story& story, const std::string& rule, const std::string& text,
                          uint64_t idle_limit = idle_core_limit) {
  const std::vector<std::string> broken = story.broken(idle_limit);
  EXPECT_THAT(broken, testing::Not(testing::IsEmpty()));
  EXPECT_THAT(broken, testing::Each(testing::StartsWith(rule + ":")));
  EXPECT_THAT(broken, testing::Contains(testing::HasSubstr(text)));
}

/// The run as it was given up at a time at which a has run, c is in its kernel, and d and b have
/// not been dispatched.
inline Story given_up() {
  using enum EventKind;
  Story story;
  story.result.error.code = ErrorCode::bad_submission;
  story.erase(scheduler0, dispatch, b);
  story.erase(scheduler0, consume, b);
  story.erase(scheduler0, reclaim, b);
  story.erase(scheduler1, consume, c);
  story.erase(scheduler1, reclaim, c);
  story.erase(scheduler1, dispatch, d);
  story.erase(scheduler1, consume, d);
  story.erase(scheduler1, reclaim, d);
  auto& idle = story.log(aiv0);
  std::erase_if(idle, [](const Event& event) { return event.kind != wait && event.kind != exit; });
  idle.erase(idle.begin() + 1);
  auto& last = story.log(aiv2);
  std::erase_if(last, [](const Event& event) { return event.task == d; });
  last.erase(last.end() - 2);
  story.result.dispatches = story.result.acks = story.result.fins = 2;
  story.result.completions = 1;
  return story;
}

}  // namespace pto2::test
