/// What the rules find.
#pragma once

#include <map>
#include <string>

#include "runtime/validate/trace.hpp"
#include "runtime/validate/validate.hpp"

namespace pto2::validation {

class Findings {
 public:
  explicit Findings(const Trace& trace) : trace_(trace) {}

  /// `problem` is about the event; both are cited, as events of the trace.
  void add(const char* rule, const std::string& problem, const Event& event);
  void add(const char* rule, const std::string& problem, const Event& event, const Event& other);
  /// `problem` is about what the header names, and no event has.
  void add_of_header(const char* rule, const std::string& problem);

  [[nodiscard]] Verdict take() { return std::move(verdict_); }

 private:
  void add(Violation violation);
  [[nodiscard]] std::string describe(const Event& event) const;

  const Trace& trace_;
  std::map<std::string, uint32_t> found_;
  Verdict verdict_;
};

/// "task 3 of ring 0"
[[nodiscard]] std::string text_of(const TaskName& task);

}  // namespace pto2::validation
