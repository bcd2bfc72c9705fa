/// Judges a run by its record, with nothing of what made the run. rule_table.hpp has the rules.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/record/record.hpp"

namespace pto2::judging {

/// A rule that is broken, by two events.
struct Violation {
  std::string rule;  ///< "VR-I5"
  std::string text;  ///< what happened, with tasks, threads and times
  uint32_t line = 0;
  uint32_t other_line = 0;  ///< 0: there is only one event
};

/// What was judged.
struct Figures {
  uint64_t tasks = 0;
  uint64_t parts = 0;  ///< of all tasks; those that are no block tasks have one
  uint64_t events = 0;
  uint64_t pinned_tasks = 0;  ///< themselves, or one of their parts
  uint64_t groups = 0;        ///< that got a cluster
  uint64_t pipes = 0;         ///< that a task used
  uint64_t entries = 0;       ///< pushed into pipes; 2^64 - 1: that many or more
};

struct Verdict {
  /// By `line`, those of one line by rule; of each rule those of the first `most_per_rule` lines.
  std::vector<Violation> violations;
  uint64_t more = 0;  ///< that were left out
  Figures figures;

  [[nodiscard]] bool valid() const { return violations.empty(); }
};

inline constexpr uint32_t most_per_rule = 20;

/// On real threads, the longest that a task may be ready beside an idle core; much more than it
/// takes, because the machine may be busy with something else.
inline constexpr uint64_t usual_idle_limit = 5'000'000'000;

/// What is judged on demand.
struct Demands {
  bool races = false;  ///< VR-I23
  /// VR-I36 on real threads, in nanoseconds; none: the machine may have slept meanwhile.
  std::optional<uint64_t> idle_limit{};
};

/// Judges a run by all rules. Requires that no event of it was dropped.
[[nodiscard]] Verdict judge(const Record& record, const Demands& demands = {});

/// The same in one line each: "line 7: VR-I5: ..". Of a record that lacks events: that it does.
[[nodiscard]] std::vector<std::string> problems_of(const Record& record,
                                                   const Demands& demands = {});

}  // namespace pto2::judging
