/// Real traces, with fields changed by hand.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "runtime/judge/judge.hpp"
#include "runtime/record/trace_reader.hpp"

namespace pto2::test {

using Json = nlohmann::ordered_json;

/// When an event happened, in the nanoseconds of its trace.
inline uint64_t time_of(const Json& line) {
  return line["t"].get<uint64_t>();
}

/// What a graph of twelve nested scopes on a chip of two blocks ran into.
enum class Kit {
  roomy,        ///< nothing is short
  few_slots,    ///< waits for slots, and reuses them
  small_heap,   ///< waits for heap bytes, and reuses them
  odd_buffers,  ///< the same, with buffers of all sizes: the heap starts over now and then
  few_nodes,    ///< reuses dependency nodes
  independent,  ///< tasks that only wait for cores
  pipes,        ///< groups with pipes, some of which are not empty in the end; waits for entries
  deadlock,     ///< a scope with more tasks than slots: given up
};

class EditedTrace {
 public:
  /// The trace of a seeded run. Each seed and kit runs once.
  explicit EditedTrace(Kit kit, uint64_t seed = 1);

  [[nodiscard]] Json& header() { return lines_.front(); }
  [[nodiscard]] std::vector<Json>& lines() { return lines_; }
  /// All lines of an event, in order.
  [[nodiscard]] std::vector<Json*> events(const std::string& event);
  /// A task's line.
  [[nodiscard]] Json& of(const std::string& event, const Json& task);
  /// The line of the same thread before this one; null: it is the first.
  [[nodiscard]] Json* before(const Json& line);
  /// Puts a line in its place by time and counts it.
  void insert(const Json& line);

  /// The lines as they stand.
  [[nodiscard]] std::string text() const;
  /// Ids of the rules that the trace breaks, but for VR-I33 to VR-I35: most edits of an event break
  /// the sequence of a core and the counts as well (run_story.hpp has runs for these).
  [[nodiscard]] std::set<std::string> broken(bool races = false) const;
  /// With the lines sorted by time, but for those of one thread, whose order stays.
  [[nodiscard]] judging::Verdict verdict(bool races = false) const;

 private:
  [[nodiscard]] EditedTrace sorted() const;

  std::vector<Json> lines_;
};

/// Changes a field or two of one task (its line `submit` is given), or of one line. False: not of
/// this one.
using Edit = std::function<bool(EditedTrace&, Json&)>;

/// The rule alone refuses the edited trace, for one task and seed at least: an edit may well break
/// other rules for tasks that are too close to others.
void expect_refused(const std::string& rule, Kit kit, const Edit& edit, bool races = false);

/// The same, of the lines of one event.
void expect_line_refused(const std::string& rule, Kit kit, const std::string& event,
                         const Edit& edit);

/// Fields that are not of a task.
void expect_header_refused(const std::string& rule, Kit kit,
                           const std::function<void(EditedTrace&)>& edit);

}  // namespace pto2::test
