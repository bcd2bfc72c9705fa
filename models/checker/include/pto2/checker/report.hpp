#pragma once

#include <atomic>
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
  unreached,       ///< a `sometimes` that held in no execution
  exception,       ///< one leaves the function of a thread, or the body
  crash,           ///< a signal such as SIGSEGV, or std::terminate
  nondeterminism,  ///< the program does not repeat itself when replayed
  misuse,          ///< of the checker's or the standard's interface
};

const char* to_string(Verdict verdict);
const char* to_string(ViolationKind kind);
/// "relaxed", "acquire", ...; consume counts as acquire.
const char* to_string(std::memory_order order);

/// One step of a reported execution. A read-modify-write is two: "rmw_read" and, when it stores,
/// "rmw_write" behind it.
struct ReportedEvent {
  int thread = 0;
  std::string operation;   ///< load, store, rmw_read, rmw_write, fence, spawn or join
  int location = -1;       ///< index in Violation::locations, -1 for fence, spawn and join
  std::string order;       ///< relaxed, acquire, release, acq_rel, seq_cst; of spawn and join empty
  std::string value;       ///< what is read or stored
  std::string text;        ///< such as "flag.load(acquire) = 0"
  std::string reads_from;  ///< where a read's value comes from, empty otherwise
  std::string missed;      ///< the newest value that a stale read did not see, empty otherwise
  std::string file;
  unsigned line = 0;
};

/// An atomic that the events refer to.
struct ReportedLocation {
  std::string name;
  std::string initial;                  ///< its value from construction on
  std::vector<int> modification_order;  ///< the events that write it, oldest first
};

/// An edge of the execution graph. Program order is the order of a thread's events, modification
/// order that of the locations.
struct ReportedEdge {
  enum class Kind : std::uint8_t {
    reads_from,
    starts,  ///< from a spawn to the thread's first event
    ends,    ///< from a thread's last event to the join
  };

  Kind kind = Kind::reads_from;
  int from = 0;  ///< index in Violation::events; -1 - location is the initial write of a location
  int to = 0;    ///< index in Violation::events
};

/// "rf", "start" or "end".
const char* to_string(ReportedEdge::Kind kind);

struct Violation {
  ViolationKind kind = ViolationKind::check_failed;
  std::string message;
  int thread = -1;  ///< who ran into it, -1 for the program as a whole
  std::source_location site;
  std::string token;                  ///< replays exactly this execution
  std::vector<std::string> threads;   ///< their names, by number
  std::vector<ReportedEvent> events;  ///< in an order that respects causality
  std::vector<ReportedLocation> locations;
  std::vector<ReportedEdge> edges;
  std::string hint;  ///< an order whose strengthening removes it, where that is known
  std::string dot;   ///< the execution graph in Graphviz's language

  /// For people: the story, one column per thread, then how to replay. The name is of the program.
  std::string to_text(const std::string& program) const;
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
  /// For people: the violation, if there is one, or the verdict; then how much was searched.
  std::string to_text() const;
  /// For programs: one JSON object with "schema": "pto2.checker.report/1". The "violation" is null
  /// or has, besides what is in the text, the execution graph: "events", each with an "id", its
  /// "thread", "operation", "order", "value", "file", "line" and the "location" by id; "locations"
  /// with the ids of their writes in "modification_order", behind their "initial_write"; and
  /// "edges" of "kind" rf, start and end, each "from" an event or initial write "to" an event. The
  /// events of one thread are in program order.
  std::string to_json() const;
};

}  // namespace pto2::model
