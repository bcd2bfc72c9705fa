/// What the rules find.
#pragma once

#include <map>
#include <string>

#include "runtime/validate/history.hpp"
#include "runtime/validate/trace.hpp"
#include "runtime/validate/validate.hpp"

namespace pto2::validation {

class Findings {
 public:
  /// Refers to both.
  Findings(const Trace& trace, const History& history) : trace_(trace), history_(history) {}

  /// `problem` is about the event; both are cited, as events of the trace.
  void add(const char* rule, const std::string& problem, const Event& event);
  void add(const char* rule, const std::string& problem, const Event& event, const Event& other);
  /// `problem` is about what the header names, and no event has.
  void add_of_header(const char* rule, const std::string& problem);

  [[nodiscard]] Verdict take() { return std::move(verdict_); }

 private:
  void add(Violation violation);
  [[nodiscard]] std::string describe(const Event& event) const;
  [[nodiscard]] std::string details_of(const Event& event) const;
  [[nodiscard]] const PipeUse& use_of(const Event& event) const;
  [[nodiscard]] bool is_of_a_part(const Event& event) const;

  const Trace& trace_;
  const History& history_;
  std::map<std::string, uint32_t> found_;
  Verdict verdict_;
};

/// "task 3 of ring 0"
[[nodiscard]] std::string text_of(const TaskName& task);
/// "task 3 of ring 0"; of a block task "part 2 of task 3 of ring 0"
[[nodiscard]] std::string text_of(const Submission& task, uint64_t part);
/// "pipe 3 of group 7"
[[nodiscard]] std::string text_of_pipe(uint64_t group, int64_t tag);
/// "aiv9 of cluster 4"; of a core that is of none "acc0"
[[nodiscard]] std::string text_of(const Core& core);

}  // namespace pto2::validation
