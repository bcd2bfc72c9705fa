#include "models/checker/engine/minimise.hpp"

#include <chrono>
#include <utility>

#include "models/checker/engine/exhaustive.hpp"
#include "models/checker/engine/script.hpp"
#include "models/checker/engine/story.hpp"

namespace pto2::model::engine {

namespace {

using Clock = std::chrono::steady_clock;

/// What a thread that hangs shows is the same everywhere, and each such run takes long. A program
/// that has crashed is run as little as possible: it may have damaged what outlives a run.
bool worth_comparing(ViolationKind kind) {
  return kind != ViolationKind::crash && kind != ViolationKind::livelock &&
         kind != ViolationKind::nondeterminism && kind != ViolationKind::unreached;
}

bool simpler(const Violation& a, const Violation& b) {
  const auto cost = [](const Violation& violation) {
    std::size_t switches = 0;
    for (std::size_t i = 1; i < violation.events.size(); ++i) {
      switches += violation.events[i].thread != violation.events[i - 1].thread;
    }
    return std::pair(switches, violation.events.size());
  };
  return cost(a) < cost(b);
}

}  // namespace

Violation minimise(const Options& options, const std::function<void()>& body,
                   const Execution& failed, const EventGraph& graph) {
  const FailedRun failure = failed.failure();
  if (failure.of_one_thread()) {
    const Violation small = describe(failed, graph, failure, past_of(graph, failure));
    const Script script = Script::from_token(small.token);
    Execution execution(options, body, script.ids());
    EventGraph replayed;
    Scripted search(script);
    const ExecutionEnd end = execution.run(replayed, search, -1);
    const FailedRun& again = execution.failure();
    const bool same = end == ExecutionEnd::failed && again.kind == failure.kind &&
                      again.thread == failure.thread && again.message == failure.message &&
                      search.mismatch(replayed).empty();
    if (same) return describe(execution, replayed, again, everything(replayed, again));
  }
  return describe(failed, graph, failure, everything(graph, failure));
}

Violation simplest(const Options& options, const std::function<void()>& body, Violation found) {
  if (options.minimise_seconds <= 0 || !worth_comparing(found.kind)) return found;
  const auto until = Clock::now() + std::chrono::duration<double>(options.minimise_seconds);
  Execution execution(options, body);
  Exhaustive search(options);
  search.begin();
  for (bool more = true; more && Clock::now() < until; more = search.advance()) {
    if (options.stop.stop_requested()) break;
    const ExecutionEnd end = execution.run(search.graph(), search, search.first());
    if (end == ExecutionEnd::limited) break;
    if (end != ExecutionEnd::failed || execution.failure().kind != found.kind ||
        execution.failure().message != found.message) {
      continue;
    }
    Violation other = minimise(options, body, execution, search.graph());
    if (simpler(other, found)) found = std::move(other);
  }
  return found;
}

}  // namespace pto2::model::engine
