#include "runtime/judge/findings.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>

#include "runtime/judge/rule_table.hpp"

namespace pto2::judging {

std::string text_of(TaskId task) {
  return fmt::format("task {} of ring {}", local_of(task), ring_of(task).value);
}

std::string text_of(const TaskRecord& task, uint64_t part) {
  const std::string name = text_of(task.task);
  return task.block_dim == 0 ? name : fmt::format("part {} of {}", part, name);
}

std::string text_of_pipe(uint64_t group, int64_t tag) {
  return fmt::format("pipe {} of group {}", tag, group);
}

std::string text_of(const CoreRecord& core) {
  return core.cluster == -1 ? core.name : fmt::format("{} of cluster {}", core.name, core.cluster);
}

std::string Findings::describe(const Event& event) const {
  std::string text = fmt::format("line {}: {}", event.line, event_name(event.kind));
  if (is_of_a_task(event.kind)) text += " of " + text_of(event.task);
  if (is_of_a_part(event)) text += fmt::format(", part {}", event.part);
  return text + details_of(event) +
         fmt::format(" at {} by {}", event.t, record_.threads[event.thread]);
}

/// Of tasks that are no block tasks the part goes without saying, as long as it is 0.
bool Findings::is_of_a_part(const Event& event) const {
  if (event.part != 0) return true;
  const bool may_be = event.kind == EventKind::dispatch || event.kind == EventKind::ack ||
                      event.kind == EventKind::fin || event.kind == EventKind::join;
  if (!may_be) return false;
  const uint32_t task = history_.find(event.task);
  return task != no_index && record_.tasks[task].block_dim != 0;
}

/// Which group, cluster, pipe or core an event is about.
std::string Findings::details_of(const Event& event) const {
  switch (event.kind) {
    case EventKind::dispatch:
      return " to " + text_of(record_.cores[event.place]);
    case EventKind::allocate:
    case EventKind::close:
      return fmt::format(" of group {} on cluster {}", event.group, event.place);
    case EventKind::join:
      return fmt::format(" to group {} on cluster {}", event.group, event.place);
    case EventKind::give_back:
      return fmt::format(" of cluster {}", event.place);
    case EventKind::pipe:
      return ", " +
             text_of_pipe(record_.pipe_uses[event.place].group, record_.pipe_uses[event.place].tag);
    case EventKind::leftover:
      return " of " +
             text_of_pipe(record_.pipe_uses[event.place].group, record_.pipe_uses[event.place].tag);
    default:
      return {};
  }
}

void Findings::add(Violation violation) {
  violation.rule = rule_called(violation.rule).id;
  std::vector<Violation>& found = found_[violation.rule];
  const auto place = std::ranges::upper_bound(found, violation.line, {}, &Violation::line);
  found.insert(place, std::move(violation));
  if (found.size() <= most_per_rule) return;
  found.pop_back();
  ++more_;
}

bool Findings::leaves_out(const char* rule, uint32_t line) {
  const auto found = found_.find(rule);
  if (found == found_.end() || found->second.size() < most_per_rule) return false;
  if (line < found->second.back().line) return false;
  ++more_;
  return true;
}

Verdict Findings::take() {
  Verdict verdict;
  verdict.more = more_;
  for (auto& [rule, found] : found_) {
    std::ranges::move(found, std::back_inserter(verdict.violations));
  }
  std::ranges::stable_sort(verdict.violations, {}, &Violation::line);
  return verdict;
}

void Findings::add_of_header(const char* rule, const std::string& problem) {
  add({rule, problem + " (line 1: the header)", 1, 0});
}

void Findings::add(const char* rule, const std::string& problem, const Event& event) {
  add({rule, fmt::format("{} ({})", problem, describe(event)), event.line, 0});
}

void Findings::add(const char* rule, const std::string& problem, const Event& event,
                   const Event& other) {
  add({rule, fmt::format("{} ({}; {})", problem, describe(event), describe(other)), event.line,
       other.line});
}

}  // namespace pto2::judging
