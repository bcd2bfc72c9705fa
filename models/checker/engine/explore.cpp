#include <chrono>
#include <stdexcept>

#include "models/checker/engine/execution.hpp"
#include "models/checker/engine/exhaustive.hpp"
#include "pto2/checker.hpp"

namespace pto2::model {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

void explore_exhaustively(const Options& options, const std::function<void()>& body,
                          Report& report) {
  const Clock::time_point start = Clock::now();
  engine::Execution execution(options, body);
  engine::Exhaustive search(options);
  search.begin();
  bool more = true;
  for (std::uint64_t runs = 1; more; ++runs) {
    const engine::Outcome outcome = execution.run(search.graph(), search, search.first());
    switch (outcome) {
      case engine::Outcome::complete:
        ++report.executions;
        break;
      case engine::Outcome::blocked:
      case engine::Outcome::pruned:
        ++report.blocked;
        break;
      case engine::Outcome::failed:
        report.violation.emplace();
        report.violation->kind = execution.failure().kind;
        report.violation->message = execution.failure().message;
        report.violation->thread = execution.failure().thread;
        report.violation->site = execution.failure().site;
        more = false;
        continue;
      case engine::Outcome::limited:
        report.reason = execution.limit();
        more = false;
        continue;
    }
    if (options.max_executions != 0 && report.executions >= options.max_executions) {
      more = search.advance();
      if (more) report.reason = "the limit of executions was reached";
      report.complete = !more;
      break;
    }
    if (options.max_seconds > 0 && runs % 64 == 0 && seconds_since(start) > options.max_seconds) {
      report.reason = "the time limit was reached";
      break;
    }
    more = search.advance();
    report.complete = !more;
  }
  report.steps = execution.steps();
  report.peak_memory_bytes = search.memory();
}

}  // namespace

Report explore(const Options& options, const std::function<void()>& body) {
  Report report;
  report.name = options.name;
  const Clock::time_point start = Clock::now();
  explore_exhaustively(options, body, report);
  report.seconds = seconds_since(start);
  if (report.violation) {
    report.verdict = Verdict::fail;
  } else if (report.complete && report.executions > 0) {
    report.verdict = Verdict::pass;
  } else if (report.reason.empty()) {
    report.reason = "no execution was complete";
  }
  return report;
}

}  // namespace pto2::model
