#include "runtime/judge/judge.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "runtime/judge/rules.hpp"
#include "runtime/record/checked.hpp"

namespace pto2::judging {
namespace {

Figures count(const Case& it) {
  const Record& record = it.record;
  Figures figures{.tasks = record.tasks.size(), .events = record.events.size()};
  for (uint32_t task = 0; task < figures.tasks; ++task) {
    const auto parts = it.history.parts(task);
    const auto is_pinned = [](const PartHistory& part) { return part.join != no_index; };
    figures.parts += parts.size();
    figures.pinned_tasks +=
        record.tasks[task].group != -1 || std::ranges::any_of(parts, is_pinned) ? 1 : 0;
  }
  figures.groups = it.history.of_kind(EventKind::allocate).size();
  std::set<std::pair<uint64_t, int64_t>> pipes;
  Checked<uint64_t> entries = 0;
  for (const PipeUse& use : record.pipe_uses) {
    if (it.event(use.event).kind != EventKind::pipe) continue;
    pipes.emplace(use.group, use.tag);
    entries = entries + static_cast<uint64_t>(std::max(use.pushed, int64_t{0}));
  }
  figures.pipes = pipes.size();
  figures.entries = entries.result().value_or(std::numeric_limits<uint64_t>::max());
  return figures;
}

}  // namespace

Verdict judge(const Record& record, const Demands& demands) {
  History history(record);
  Findings findings(record, history);
  const Case it{record, history, findings};
  check_counts(it);
  history.find_needs();
  check_threads(it);
  check_order(it);
  check_cores(it);
  check_groups(it);
  check_memory(it);
  check_references(it);
  check_edges(it);
  check_entries(it);
  check_scopes(it);
  check_waits(it);
  check_pipes(it);
  check_sequences_of_cores(it);
  check_exits(it);
  check_figures(it);
  check_idle_cores(it, demands.idle_limit);
  if (demands.races) check_races(it);
  Verdict verdict = findings.take();
  verdict.figures = count(it);
  return verdict;
}

std::vector<std::string> problems_of(const Record& record, const Demands& demands) {
  if (record.dropped != 0) return {fmt::format("{} events are missing", record.dropped)};
  const Verdict verdict = judge(record, demands);
  std::vector<std::string> problems;
  for (const Violation& violation : verdict.violations) {
    problems.push_back(
        fmt::format("line {}: {}: {}", violation.line, violation.rule, violation.text));
  }
  if (verdict.more != 0) problems.push_back(fmt::format("and {} more", verdict.more));
  return problems;
}

}  // namespace pto2::judging
