#pragma once

#include <cstdint>
#include <optional>
#include <source_location>
#include <string>
#include <vector>

namespace pto2::model {

enum class Verdict : std::uint8_t {
  pass,          ///< the search is complete and found no violation
  fail,          ///< there is a violation
  inconclusive,  ///< a bound was hit, or no execution was complete
};

enum class ViolationKind : std::uint8_t {
  check_failed,
  data_race,
  deadlock,
  livelock,
  uninitialised_read,
  use_after_free,
  double_free,
  leak,
  unreached,  ///< a `sometimes` that held in no execution
  exception,
  nondeterminism,  ///< the program does not repeat itself when replayed
  misuse,          ///< of the checker's or the standard's interface
};

const char* to_string(Verdict verdict);
const char* to_string(ViolationKind kind);

/// One step of a reported execution.
struct ReportedEvent {
  int thread = 0;
  std::string text;        ///< such as "flag.load(acquire) = 0"
  std::string reads_from;  ///< where a read's value comes from, empty otherwise
  std::string missed;      ///< the newest value that a stale read did not see, empty otherwise
  std::string file;
  unsigned line = 0;
};

struct Violation {
  ViolationKind kind = ViolationKind::check_failed;
  std::string message;
  int thread = -1;  ///< who ran into it, -1 for the program as a whole
  std::source_location site;
  std::string token;                  ///< replays exactly this execution
  std::vector<std::string> threads;   ///< their names, by number
  std::vector<ReportedEvent> events;  ///< in an order that respects causality
  std::string hint;  ///< an order whose strengthening removes it, where that is known
  std::string dot;   ///< the execution graph in Graphviz's language
};

/// The outcome of an exploration.
struct Report {
  std::string name;
  Verdict verdict = Verdict::inconclusive;
  std::uint64_t executions = 0;  ///< complete consistent execution graphs
  std::uint64_t blocked = 0;     ///< graphs cut by `await`, `idle` or `assume`
  bool complete = false;         ///< nothing was left unexplored
  std::string reason;            ///< why the verdict is inconclusive
  double seconds = 0;
  std::uint64_t steps = 0;            ///< visible operations performed, replays not counted
  std::size_t peak_memory_bytes = 0;  ///< of the execution graphs
  std::optional<Violation> violation;

  bool ok() const { return verdict == Verdict::pass; }
  /// For people: the story first, then one column per thread, then how to replay.
  std::string to_text() const;
  /// For programs: one JSON object with "schema": "pto2.checker.report/1".
  std::string to_json() const;
};

}  // namespace pto2::model
