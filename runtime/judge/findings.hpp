/// What the rules find. They hold nearly always, so that no rule makes a text before it is broken;
/// of a rule that is broken very often, most are counted without one.
#pragma once

#include <concepts>
#include <map>
#include <string>
#include <vector>

#include "runtime/judge/history.hpp"
#include "runtime/judge/judge.hpp"
#include "runtime/record/record.hpp"

namespace pto2::judging {

class Findings {
 public:
  /// Refers to both.
  Findings(const Record& record, const History& history) : record_(record), history_(history) {}

  /// `problem` is about the event; both are cited, as events of the trace.
  void add(const char* rule, const std::string& problem, const Event& event);
  void add(const char* rule, const std::string& problem, const Event& event, const Event& other);
  /// Of a rule that each part of a task may break: the text `problem()` is made if it is shown.
  template <std::invocable Problem>
  void add(const char* rule, const Problem& problem, const auto&... events) {
    if (!leaves_out(rule, first_of(events...).line)) add(rule, std::string(problem()), events...);
  }
  /// `problem` is about what the header names, and no event has.
  void add_of_header(const char* rule, const std::string& problem);

  /// All of it, once.
  [[nodiscard]] Verdict take();

 private:
  /// "VR-I2" before "VR-I10".
  struct InOrder {
    bool operator()(const std::string& a, const std::string& b) const {
      return a.size() != b.size() ? a.size() < b.size() : a < b;
    }
  };

  static const Event& first_of(const Event& event, const auto&...) { return event; }

  void add(Violation violation);
  /// Whether enough of the rule is found before this line, or in it. Then one more is counted.
  bool leaves_out(const char* rule, uint32_t line);
  [[nodiscard]] std::string describe(const Event& event) const;
  [[nodiscard]] std::string details_of(const Event& event) const;
  [[nodiscard]] bool is_of_a_part(const Event& event) const;

  const Record& record_;
  const History& history_;
  /// Of each rule those of the first lines, by line; of one line in the order of the rules.
  std::map<std::string, std::vector<Violation>, InOrder> found_;
  uint64_t more_ = 0;
};

/// "task 3 of ring 0"
[[nodiscard]] std::string text_of(TaskId task);
/// "task 3 of ring 0"; of a block task "part 2 of task 3 of ring 0"
[[nodiscard]] std::string text_of(const TaskRecord& task, uint64_t part);
/// "pipe 3 of group 7"
[[nodiscard]] std::string text_of_pipe(uint64_t group, int64_t tag);
/// "aiv9 of cluster 4"; of a core that is of none "acc0"
[[nodiscard]] std::string text_of(const CoreRecord& core);

}  // namespace pto2::judging
