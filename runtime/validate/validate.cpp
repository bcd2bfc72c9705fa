#include "runtime/validate/validate.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "runtime/validate/checked.hpp"
#include "runtime/validate/rules.hpp"

namespace pto2::validation {
namespace {

Figures count(const Case& it) {
  const Trace& trace = it.trace;
  Figures figures{.tasks = trace.submissions.size(), .events = trace.events.size()};
  for (uint32_t task = 0; task < figures.tasks; ++task) {
    const auto parts = it.history.parts(task);
    const auto is_pinned = [](const PartHistory& part) { return part.join != no_index; };
    figures.parts += parts.size();
    figures.pinned_tasks +=
        trace.submissions[task].group != -1 || std::ranges::any_of(parts, is_pinned) ? 1 : 0;
  }
  for (const Event& event : trace.events) figures.groups += event.kind == Kind::allocate ? 1 : 0;
  std::set<std::pair<uint64_t, int64_t>> pipes;
  Checked<uint64_t> entries = 0;
  for (const PipeUse& use : trace.pipe_uses) {
    if (it.event(use.event).kind != Kind::pipe) continue;
    pipes.emplace(use.group, use.tag);
    entries = entries + static_cast<uint64_t>(std::max(use.pushed, int64_t{0}));
  }
  figures.pipes = pipes.size();
  figures.entries = entries.result().value_or(std::numeric_limits<uint64_t>::max());
  return figures;
}

}  // namespace

Verdict judge(const Trace& trace, bool races) {
  History history(trace);
  Findings findings(trace, history);
  const Case it{trace, history, findings};
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
  if (races) check_races(it);
  Verdict verdict = findings.take();
  verdict.figures = count(it);
  return verdict;
}

}  // namespace pto2::validation
