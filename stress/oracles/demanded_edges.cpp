#include "stress/oracles/demanded_edges.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace pto2::oracle {
namespace {

/// Lines that are told of one run.
constexpr std::size_t most = 4;

/// When a task was submitted, and when its last kernel ended.
struct Times {
  uint64_t submitted = 0;
  uint64_t ended = ~uint64_t{0};
};

/// The edges of a run, its tasks by their order of submission.
class Edges {
 public:
  Edges(std::span<const RecordedTask> demanded, bool is_whole, const Record& record)
      : demanded_(demanded),
        is_whole_(is_whole),
        is_replayed_(record.manner.replayed),
        times_(record.tasks.size()),
        before_(record.tasks.size()) {
    numbers_.reserve(record.tasks.size());
    for (const TaskRecord& task : record.tasks) {
      times_[numbers_.size()].submitted = record.events[task.event].t;
      numbers_.push_back({task.task, numbers_.size()});
    }
    std::ranges::sort(numbers_, {}, &Number::task);
    for (const Event& event : record.events) {
      if (event.kind == EventKind::fin) note_end(event);
    }
  }

  std::vector<std::string> problems(const Record& record) {
    std::vector<std::size_t> edges;
    std::vector<std::size_t> holds;
    std::vector<std::size_t> enough;
    std::vector<std::size_t> kept;
    for (std::size_t i = 0; i < record.tasks.size() && problems_.size() < most; ++i) {
      edges.clear();
      holds.clear();
      for (const ProducerRecord& producer : record.tasks[i].producers) {
        add(i, "an edge to", producer.task, edges);
      }
      for (const TaskId owner : record.tasks[i].holds) {
        add(i, "a reference to the buffer of", owner, holds);
      }
      enough = edges;
      if (is_replayed_) add_ordered(i, enough);
      compare(i, "edge to task", demanded_[i].producers, edges, enough);
      // Who waits for a task keeps its buffer, too.
      kept = edges;
      kept.insert(kept.end(), holds.begin(), holds.end());
      compare(i, "reference to the buffer of task", demanded_[i].owners, holds, kept);
    }
    return std::move(problems_);
  }

 private:
  struct Number {
    TaskId task;
    std::size_t number;
  };

  /// The end of a task of whose submission there is no event counts for none.
  void note_end(const Event& fin) {
    const auto found = find(fin.task);
    if (found == numbers_.end()) return;
    Times& times = times_[found->number];
    times.ended = times.ended == ~uint64_t{0} ? fin.t : std::max(times.ended, fin.t);
  }
  /// Adds the number of the one to which task number `task` has this.
  void add(std::size_t task, const char* what, TaskId to, std::vector<std::size_t>& numbers) {
    const auto found = find(to);
    if (found != numbers_.end()) return numbers.push_back(found->number);
    problems_.push_back(fmt::format("task {} has {} task {} of ring {}, which was not submitted",
                                    task, what, local_of(to), ring_of(to).value));
  }
  std::vector<Number>::const_iterator find(TaskId task) const {
    const auto found = std::ranges::lower_bound(numbers_, task, {}, &Number::task);
    return found != numbers_.end() && found->task == task ? found : numbers_.end();
  }

  /// `found` may have no others than those that are demanded; `enough` must have these.
  void compare(std::size_t task, const char* what, const std::vector<std::size_t>& demanded,
               const std::vector<std::size_t>& found, const std::vector<std::size_t>& enough) {
    for (const std::size_t producer : demanded) {
      if (std::ranges::count(enough, producer) != 0 || can_be_reclaimed(producer, task)) continue;
      problems_.push_back(fmt::format("task {} lacks its {} {}", task, what, producer));
    }
    for (const std::size_t producer : found) {
      if (!is_whole_ || std::ranges::count(demanded, producer) != 0) continue;
      if (is_replayed_ && std::ranges::count(demanded_[task].producers, producer) != 0) continue;
      problems_.push_back(
          fmt::format("task {} has the {} {}, which it does not need", task, what, producer));
    }
  }
  bool can_be_reclaimed(std::size_t producer, std::size_t task) const {
    return demanded_[producer].scope_end <= task && times_[producer].ended < times_[task].submitted;
  }
  /// To those to whom the task has edges adds all to whom it needs none, because paths of edges
  /// lead there. On a path there may be none to who can be reclaimed.
  void add_ordered(std::size_t task, std::vector<std::size_t>& ordered) {
    before_[task] = ordered;
    for (const std::size_t producer : demanded_[task].producers) {
      if (can_be_reclaimed(producer, task)) before_[task].push_back(producer);
    }
    ordered = before_[task];
    for (std::size_t i = 0; i < ordered.size(); ++i) {
      if (ordered[i] >= task) continue;
      for (const std::size_t before : before_[ordered[i]]) {
        if (std::ranges::count(ordered, before) == 0) ordered.push_back(before);
      }
    }
  }

  std::span<const RecordedTask> demanded_;
  bool is_whole_;
  bool is_replayed_;
  std::vector<Number> numbers_;  // by task
  std::vector<Times> times_;
  std::vector<std::vector<std::size_t>> before_;  // whom each task comes directly behind
  std::vector<std::string> problems_;
};

}  // namespace

std::vector<std::string> edge_problems(std::span<const RecordedTask> demanded, bool is_whole,
                                       const Record& record) {
  const std::size_t submitted = record.tasks.size();
  if (submitted > demanded.size()) {
    return {fmt::format("{} tasks, and {} are demanded", submitted, demanded.size())};
  }
  return Edges(demanded, is_whole, record).problems(record);
}

}  // namespace pto2::oracle
