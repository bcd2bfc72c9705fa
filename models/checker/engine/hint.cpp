#include "models/checker/engine/hint.hpp"

#include <algorithm>
#include <chrono>
#include <string_view>

#include "models/checker/engine/execution.hpp"
#include "models/checker/engine/exhaustive.hpp"

namespace pto2::model::engine {

namespace {

using Clock = std::chrono::steady_clock;

/// Whether the program is complete and without violation when one place is stronger.
bool passes(const Options& options, const std::function<void()>& body,
            const Strengthened& strengthened, Clock::time_point deadline) {
  Execution execution(options, body);
  execution.strengthen(strengthened);
  Exhaustive search(options);
  search.begin();
  bool complete = false;
  do {
    const ExecutionEnd end = execution.run(search.graph(), search, search.first());
    if (end == ExecutionEnd::failed || end == ExecutionEnd::limited) return false;
    complete |= end == ExecutionEnd::complete;
    if (Clock::now() > deadline || options.stop.stop_requested()) return false;
  } while (search.advance());
  return complete;
}

}  // namespace

std::memory_order Strengthened::apply(Kind kind, std::memory_order order,
                                      const std::source_location& at) const {
  if (order == std::memory_order_seq_cst || !same_place(at, site)) return order;
  if (sequentially_consistent) return std::memory_order_seq_cst;
  if (kind == Kind::read) return std::memory_order_acquire;
  if (kind == Kind::write) return std::memory_order_release;
  return std::memory_order_acq_rel;
}

std::vector<std::source_location> weak_sites(const EventGraph& graph) {
  std::vector<std::source_location> sites;
  for (EventId e = 0; e < graph.size(); ++e) {
    const Event& event = graph[e];
    if (event.kind == Kind::spawn || event.kind == Kind::join || event.site.line() == 0 ||
        event.order == std::memory_order_seq_cst) {
      continue;
    }
    const bool known = std::any_of(sites.begin(), sites.end(),
                                   [&](const auto& site) { return same_place(site, event.site); });
    if (!known) sites.push_back(event.site);
  }
  return sites;
}

std::string find_hint(const Options& options, const std::function<void()>& body,
                      const std::vector<std::source_location>& sites, double seconds) {
  const auto deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                           std::chrono::duration<double>(seconds));
  for (const bool sequentially_consistent : {false, true}) {
    for (const std::source_location& site : sites) {
      const Strengthened strengthened{site, sequentially_consistent};
      if (Clock::now() > deadline || options.stop.stop_requested()) return {};
      if (!passes(options, body, strengthened, deadline)) continue;
      return "it cannot happen with " +
             std::string(sequentially_consistent ? "seq_cst" : "acquire/release") + " order at " +
             to_string(site);
    }
  }
  return {};
}

}  // namespace pto2::model::engine
