#include "runtime/validate/findings.hpp"

#include <fmt/core.h>

namespace pto2::validation {

std::string text_of(const TaskName& task) {
  return fmt::format("task {} of ring {}", task.number, task.ring);
}

std::string Findings::describe(const Event& event) const {
  std::string text = fmt::format("line {}: {}", event.line, name_of(event.kind));
  if (is_of_a_task(event.kind)) text += " of " + text_of({event.ring, event.number});
  if (event.part != 0) text += fmt::format(", part {}", event.part);
  if (event.kind == Kind::dispatch) text += " to " + trace_.cores[event.place].name;
  return text + fmt::format(" at {} by {}", event.t, trace_.threads[event.thread]);
}

void Findings::add(Violation violation) {
  if (found_[violation.rule]++ < most_per_rule) {
    verdict_.violations.push_back(std::move(violation));
  } else {
    ++verdict_.more;
  }
}

void Findings::add_of_header(const char* rule, const std::string& problem) {
  add({rule, problem + " (line 1: the header)", 1, 0});
}

void Findings::add(const char* rule, const std::string& problem, const Event& event) {
  add({rule, fmt::format("{} ({})", problem, describe(event)), event.line, 0});
}

void Findings::add(const char* rule, const std::string& problem, const Event& event,
                   const Event& other) {
  add({rule, fmt::format("{} ({}; {})", problem, describe(event), describe(other)), event.line,
       other.line});
}

}  // namespace pto2::validation
