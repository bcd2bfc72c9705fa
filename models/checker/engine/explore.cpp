// Runs a strategy within its bounds and turns what it found into a report.
#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <string>

#include "models/checker/engine/crash_signals.hpp"
#include "models/checker/engine/execution.hpp"
#include "models/checker/engine/exhaustive.hpp"
#include "models/checker/engine/exits.hpp"
#include "models/checker/engine/hint.hpp"
#include "models/checker/engine/ledger.hpp"
#include "models/checker/engine/minimise.hpp"
#include "models/checker/engine/parallel.hpp"
#include "models/checker/engine/script.hpp"
#include "models/checker/engine/size_estimate.hpp"
#include "models/checker/engine/story.hpp"
#include "models/checker/engine/termination.hpp"
#include "models/checker/engine/walk.hpp"
#include "models/checker/engine/watchdog.hpp"
#include "pto2/checker.hpp"

namespace pto2::model {

namespace {

using engine::ExecutionEnd;
using engine::Ledger;
using Clock = Ledger::Clock;

/// Only what memory orders can be to blame for is worth a search for a stronger one.
void add_hint(const Options& options, const std::function<void()>& body,
              const engine::EventGraph& graph, Violation& violation) {
  if (options.hint_seconds <= 0) return;
  if (violation.kind != ViolationKind::check_failed && violation.kind != ViolationKind::data_race &&
      violation.kind != ViolationKind::uninitialised_read) {
    return;
  }
  violation.hint =
      engine::find_hint(options, body, engine::weak_sites(graph), options.hint_seconds);
}

Violation found(const Options& options, const std::function<void()>& body,
                const engine::Execution& execution, const engine::EventGraph& graph) {
  return engine::simplest(options, body, engine::minimise(options, body, execution, graph));
}

void note(const engine::Execution& execution, Report& report,
          std::vector<std::pair<std::string, bool>>& sometimes) {
  report.steps += execution.steps();
  for (const auto& [name, held] : execution.sometimes().names()) {
    const auto known = std::find_if(sometimes.begin(), sometimes.end(),
                                    [&](const auto& entry) { return entry.first == name; });
    if (known == sometimes.end()) {
      sometimes.emplace_back(name, held);
    } else {
      known->second |= held;
    }
  }
}

using Sometimes = std::vector<std::pair<std::string, bool>>;

void explore_exhaustively(const Options& options, const std::function<void()>& body,
                          Clock::time_point start, Report& report, Sometimes& sometimes) {
  engine::SizeEstimate size(options, body);
  Ledger ledger(options, report, &size, start);
  engine::Execution execution(options, body);
  engine::Exhaustive search(options);
  search.begin();
  for (bool more = true; more;) {
    const ExecutionEnd end = execution.run(search.graph(), search, search.first());
    ledger.count(end);
    if (end == ExecutionEnd::failed) {
      report.violation = found(options, body, execution, search.graph());
      add_hint(options, body, search.graph(), *report.violation);
      break;
    }
    if (end == ExecutionEnd::limited) {
      report.reason = execution.limit();
      break;
    }
    const std::size_t memory = search.memory_if_due();
    more = search.advance();
    report.complete = !more;
    if (more && ledger.exhausted(memory)) break;
    size.improve_if_due();
  }
  report.peak_memory_bytes = std::max(report.peak_memory_bytes, search.memory());
  note(execution, report, sometimes);
}

void explore_in_parallel(const Options& options, const std::function<void()>& body,
                         Clock::time_point start, Report& report, Sometimes& sometimes) {
  engine::Parallel search(options, body, start);
  search.run(report);
  search.for_each_execution([&](const auto& execution) { note(execution, report, sometimes); });
  if (search.failed() != nullptr) {
    report.violation = found(options, body, *search.failed(), search.failed_graph());
    add_hint(options, body, search.failed_graph(), *report.violation);
  }
}

void sample(const Options& options, const std::function<void()>& body, Clock::time_point start,
            Report& report, Sometimes& sometimes) {
  Ledger ledger(options, report, nullptr, start);
  engine::Execution execution(options, body);
  engine::EventGraph graph;
  std::uint64_t length = 64;
  for (std::uint64_t i = 0; i < options.samples; ++i) {
    graph.clear();
    engine::Walk search(options, options.seed + i, length);
    const ExecutionEnd end = execution.run(graph, search, -1);
    length = std::max<std::uint64_t>(length, static_cast<std::uint64_t>(graph.size()));
    ledger.count(end);
    if (end == ExecutionEnd::failed) {
      report.violation = found(options, body, execution, graph);
      break;
    }
    if (end == ExecutionEnd::limited) {
      report.reason = execution.limit();
      break;
    }
    if (ledger.exhausted(graph.memory())) break;
  }
  if (report.reason.empty()) {
    report.reason = "executions were sampled, " + std::to_string(report.executions) + " of them";
  }
  report.peak_memory_bytes = std::max(report.peak_memory_bytes, graph.memory());
  note(execution, report, sometimes);
}

void replay(const Options& options, const std::function<void()>& body, Report& report,
            Sometimes& sometimes) {
  const engine::Script script = engine::Script::from_token(options.token);
  engine::Execution execution(options, body, script.ids());
  engine::EventGraph graph;
  engine::Scripted search(script);
  const ExecutionEnd end = execution.run(graph, search, -1);
  const std::string mismatch = search.mismatch(graph);
  if (end == ExecutionEnd::limited) {
    report.reason = execution.limit();
  } else if (!mismatch.empty()) {
    report.reason =
        "the token is damaged or does not fit the program, which has changed since: " + mismatch;
  } else if (end == ExecutionEnd::failed) {
    const engine::FailedRun& failure = execution.failure();
    report.violation =
        engine::describe(execution, graph, failure, engine::everything(graph, failure));
  } else {
    report.executions = end == ExecutionEnd::complete;
    report.blocked = end == ExecutionEnd::blocked;
    report.reason = "one execution was replayed, without a violation";
  }
  note(execution, report, sometimes);
}

/// `start` is when the first search began, if this one begins anew.
void search(const Options& options, const std::function<void()>& body, Clock::time_point start,
            Report& report, Sometimes& sometimes) {
  switch (options.strategy) {
    case Strategy::exhaustive:
      if (options.jobs > 1) {
        explore_in_parallel(options, body, start, report, sometimes);
      } else {
        explore_exhaustively(options, body, start, report, sometimes);
      }
      break;
    case Strategy::replay:
      replay(options, body, report, sometimes);
      break;
    default:
      sample(options, body, start, report, sometimes);
  }
}

void judge(const Options& options, Report& report, Sometimes& sometimes) {
  if (report.violation) {
    report.verdict = Verdict::fail;
    return;
  }
  for (const std::string& name : options.expected) {
    const bool known = std::any_of(sometimes.begin(), sometimes.end(),
                                   [&](const auto& entry) { return entry.first == name; });
    if (!known) sometimes.emplace_back(name, false);
  }
  if (!report.complete) return;
  if (report.executions == 0) {
    report.reason = "no execution was complete";
    return;
  }
  for (const auto& [name, held] : sometimes) {
    if (held) continue;
    report.violation.emplace();
    report.violation->kind = ViolationKind::unreached;
    report.violation->message = name + " holds in no execution";
    report.verdict = Verdict::fail;
    return;
  }
  report.verdict = Verdict::pass;
}

/// Lets function-local statics and the like allocate what they keep.
void warm_up(const Options& options, const std::function<void()>& body) {
  Options quiet = options;
  quiet.heap_leaks = false;
  engine::Execution execution(quiet, body);
  engine::Exhaustive search(quiet);
  search.begin();
  execution.run(search.graph(), search, search.first());
}

void validate(const Options& options) {
  const auto require = [](bool condition, const char* message) {
    if (!condition) throw std::invalid_argument(message);
  };
  require(options.jobs >= 1 && options.jobs <= 256, "Options::jobs must be 1..256");
  require(options.max_thread_events >= 1 && options.max_thread_events <= 65'000,
          "Options::max_thread_events must be 1..65000");
  require(options.max_seconds >= 0, "Options::max_seconds must be at least 0");
  require(options.stack_bytes >= 16 * 1024 && options.stack_bytes <= 1024 * 1024 * 1024,
          "Options::stack_bytes must be 16384..1073741824");
  require(options.watchdog_seconds >= 0 && options.watchdog_seconds <= 86'400,
          "Options::watchdog_seconds must be 0..86400");
  require(options.hint_seconds >= 0 && options.hint_seconds <= 86'400,
          "Options::hint_seconds must be 0..86400");
  require(options.minimise_seconds >= 0 && options.minimise_seconds <= 86'400,
          "Options::minimise_seconds must be 0..86400");
  require(options.depth >= 1, "Options::depth must be at least 1");
  require(options.spin_limit >= 1, "Options::spin_limit must be at least 1");
  require(options.strategy != Strategy::replay || !options.token.empty(),
          "Options::token must be set to replay");
}

}  // namespace

Report explore(const Options& options, const std::function<void()>& body) {
  validate(options);
  Report report;
  if (options.stop.stop_requested()) {
    report.name = options.name;
    report.reason = engine::stopped_reason;
    return report;
  }
  Sometimes sometimes;
  const Clock::time_point start = Clock::now();
  const engine::HeapScope own(nullptr);
  {
    const engine::ExplorersFrame frame(__builtin_frame_address(0));
    const engine::Termination termination;
    const engine::Exits exits;
    const engine::CrashSignals crash_signals;
    const engine::Watchdog watchdog(options.watchdog_seconds);
    if (options.heap_leaks) warm_up(options, body);
    do {
      report = {};
      report.name = options.name;
      sometimes.clear();
      search(options, body, start, report, sometimes);
    } while (report.reason == engine::loop_found_reason);
  }
  report.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  judge(options, report, sometimes);
  return report;
}

}  // namespace pto2::model
