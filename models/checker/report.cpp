#include "pto2/checker/report.hpp"

#include <algorithm>
#include <cstdio>
#include <string_view>

namespace pto2::model {

const char* to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::pass:
      return "pass";
    case Verdict::fail:
      return "fail";
    case Verdict::inconclusive:
      return "inconclusive";
  }
  return "unknown";
}

const char* to_string(ViolationKind kind) {
  switch (kind) {
    case ViolationKind::check_failed:
      return "check failed";
    case ViolationKind::data_race:
      return "data race";
    case ViolationKind::deadlock:
      return "deadlock";
    case ViolationKind::livelock:
      return "livelock";
    case ViolationKind::uninitialised_read:
      return "uninitialised read";
    case ViolationKind::use_after_free:
      return "use after free";
    case ViolationKind::double_free:
      return "double free";
    case ViolationKind::leak:
      return "leak";
    case ViolationKind::unreached:
      return "unreached";
    case ViolationKind::exception:
      return "exception";
    case ViolationKind::crash:
      return "crash";
    case ViolationKind::nondeterminism:
      return "nondeterminism";
    case ViolationKind::misuse:
      return "misuse";
  }
  return "unknown";
}

const char* to_string(std::memory_order order) {
  switch (order) {
    case std::memory_order_relaxed:
      return "relaxed";
    case std::memory_order_consume:
    case std::memory_order_acquire:
      return "acquire";
    case std::memory_order_release:
      return "release";
    case std::memory_order_acq_rel:
      return "acq_rel";
    case std::memory_order_seq_cst:
      return "seq_cst";
  }
  return "unknown order";
}

const char* to_string(ReportedEdge::Kind kind) {
  switch (kind) {
    case ReportedEdge::Kind::reads_from:
      return "rf";
    case ReportedEdge::Kind::starts:
      return "start";
    case ReportedEdge::Kind::ends:
      return "end";
  }
  return "unknown";
}

namespace {

std::string_view base_name(std::string_view path) {
  const auto slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

std::string place(const std::string& file, unsigned line) {
  return std::string(base_name(file)) + ":" + std::to_string(line);
}

std::string thread_of(const Violation& violation, int thread) {
  return thread >= 0 && static_cast<std::size_t>(thread) < violation.threads.size()
             ? violation.threads[static_cast<std::size_t>(thread)]
             : std::string("the program");
}

void pad(std::string& text, std::size_t width) {
  if (text.size() < width) text.append(width - text.size(), ' ');
}

/// One line per step, in its thread's column; what a read saw and missed stands at the right.
std::string columns(const Violation& violation) {
  std::vector<std::size_t> widths;
  for (const std::string& name : violation.threads) widths.push_back(name.size());
  for (const ReportedEvent& event : violation.events) {
    std::size_t& width = widths[static_cast<std::size_t>(event.thread)];
    width = std::max(width, event.text.size());
  }
  std::string text = "  ";
  for (std::size_t t = 0; t < widths.size(); ++t) {
    std::string cell = violation.threads[t];
    pad(cell, widths[t]);
    text += cell + " | ";
  }
  text += "where\n";
  for (const ReportedEvent& event : violation.events) {
    std::string line = "  ";
    for (std::size_t t = 0; t < widths.size(); ++t) {
      std::string cell = static_cast<int>(t) == event.thread ? event.text : std::string();
      pad(cell, widths[t]);
      line += cell + " | ";
    }
    line += place(event.file, event.line);
    if (!event.missed.empty()) {
      line += "  read " + event.reads_from + "; missed " + event.missed;
    }
    text += line + "\n";
  }
  return text;
}

std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(c));
      result += escape;
    } else {
      result += c;
    }
  }
  return result + "\"";
}

std::string field(std::string_view name, std::string_view value) {
  return quoted(name) + ": " + std::string(value);
}

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6f", value);
  return text;
}

/// A JSON array of what `item` makes of each element and its index.
template <class Range, class Item>
std::string array(const Range& range, Item&& item) {
  std::string json = "[";
  int index = 0;
  for (const auto& element : range) {
    if (index > 0) json += ", ";
    json += item(element, index++);
  }
  return json + "]";
}

std::string to_json(const Violation& violation, const ReportedEvent& event, int id) {
  return "{" + field("id", std::to_string(id)) + ", " +
         field("thread", quoted(thread_of(violation, event.thread))) + ", " +
         field("thread_number", std::to_string(event.thread)) + ", " +
         field("operation", quoted(event.operation)) + ", " +
         field("location", event.location < 0 ? "null" : std::to_string(event.location)) + ", " +
         field("order", quoted(event.order)) + ", " + field("value", quoted(event.value)) + ", " +
         field("text", quoted(event.text)) + ", " + field("reads_from", quoted(event.reads_from)) +
         ", " + field("missed", quoted(event.missed)) + ", " + field("file", quoted(event.file)) +
         ", " + field("line", std::to_string(event.line)) + "}";
}

std::string to_json(const ReportedLocation& location, int id) {
  return "{" + field("id", std::to_string(id)) + ", " + field("name", quoted(location.name)) +
         ", " + field("initial", quoted(location.initial)) + ", " +
         field("initial_write", std::to_string(-1 - id)) + ", " +
         field("modification_order", array(location.modification_order,
                                           [](int write, int) { return std::to_string(write); })) +
         "}";
}

std::string to_json(const ReportedEdge& edge) {
  return "{" + field("kind", quoted(to_string(edge.kind))) + ", " +
         field("from", std::to_string(edge.from)) + ", " + field("to", std::to_string(edge.to)) +
         "}";
}

std::string to_json(const Violation& violation) {
  const std::string events = array(violation.events, [&](const ReportedEvent& event, int id) {
    return to_json(violation, event, id);
  });
  const std::string locations =
      array(violation.locations,
            [](const ReportedLocation& location, int id) { return to_json(location, id); });
  const std::string edges =
      array(violation.edges, [](const ReportedEdge& edge, int) { return to_json(edge); });
  return "{" + field("kind", quoted(to_string(violation.kind))) + ", " +
         field("message", quoted(violation.message)) + ", " +
         field("thread", quoted(thread_of(violation, violation.thread))) + ", " +
         field("file", quoted(violation.site.file_name())) + ", " +
         field("line", std::to_string(violation.site.line())) + ", " +
         field("token", quoted(violation.token)) + ", " + field("hint", quoted(violation.hint)) +
         ", " + field("events", events) + ", " + field("locations", locations) + ", " +
         field("edges", edges) + ", " + field("dot", quoted(violation.dot)) + "}";
}

}  // namespace

std::string Violation::to_text(const std::string& program) const {
  std::string text = program + ": " + to_string(kind) + ": " + message;
  if (thread >= 0) text += " (" + thread_of(*this, thread);
  if (thread >= 0 && site.line() != 0) text += " at " + place(site.file_name(), site.line());
  if (thread >= 0) text += ")";
  text += "\n";
  if (!events.empty()) text += "\n" + columns(*this) + "\n";
  if (!hint.empty()) text += "hint: " + hint + "\n";
  if (!token.empty()) text += "replay: " + token + "\n";
  return text;
}

std::string Report::to_text() const {
  std::string text;
  if (violation) {
    text += violation->to_text(name);
  } else {
    text += name + ": " + to_string(verdict);
    if (!reason.empty()) text += ", " + reason;
    text += "\n";
  }
  text += std::to_string(executions) + " executions, " + std::to_string(blocked) + " blocked, " +
          (complete ? "complete" : "not complete") + ", " + number(seconds) + " s\n";
  return text;
}

std::string Report::to_json() const {
  std::string json =
      "{" + field("schema", quoted("pto2.checker.report/1")) + ", " + field("name", quoted(name)) +
      ", " + field("verdict", quoted(to_string(verdict))) + ", " +
      field("executions", std::to_string(executions)) + ", " +
      field("blocked", std::to_string(blocked)) + ", " +
      field("complete", complete ? "true" : "false") + ", " + field("reason", quoted(reason)) +
      ", " + field("wall_s", number(seconds)) + ", " + field("steps", std::to_string(steps)) +
      ", " + field("peak_memory_bytes", std::to_string(peak_memory_bytes)) + ", " +
      field("violation", violation ? model::to_json(*violation) : "null") + "}";
  return json;
}

}  // namespace pto2::model
