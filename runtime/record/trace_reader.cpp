#include "runtime/record/trace_reader.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <unordered_map>

#include "runtime/record/event_fields.hpp"
#include "runtime/record/header_reader.hpp"
#include "runtime/record/json_line.hpp"
#include "runtime/record/trace_writer.hpp"
#include "runtime/record/whole_file.hpp"

namespace pto2 {
namespace {

constexpr const char* make_again = "make it again with pto2 run --trace";
constexpr const char* name_another = "name a file that pto2 run --trace has written";

/// How the header begins, of whatever version.
constexpr std::string_view beginning = R"({"schema":"pto2-trace/)";

/// Of the events of a thread so far.
struct ThreadTimes {
  uint64_t last = 0;
  uint64_t latest = 0;
};

class Reader {
 public:
  explicit Reader(std::string text) : text_(std::move(text)), size_(text_.size()) {
    text_.append(simdjson::SIMDJSON_PADDING, '\0');
  }

  Record read() {
    const char* const begin = text_.data();
    const char* const end = begin + size_;
    if (begin == end) throw TraceError(1, "the file is empty", make_again);
    uint32_t line = 0;
    for (const char* at = begin; at != end;) {
      const auto* newline =
          static_cast<const char*>(std::memchr(at, '\n', static_cast<std::size_t>(end - at)));
      ++line;
      if (ended_) throw TraceError(line, "goes on after its closing line", make_again);
      if (newline == nullptr) refuse_end({at, static_cast<std::size_t>(end - at)}, line);
      read_line({at, static_cast<std::size_t>(newline - at)}, line);
      at = newline + 1;
    }
    if (!ended_) {
      throw TraceError(line, "there is no closing line: the trace was cut off", make_again);
    }
    return std::move(record_);
  }

 private:
  /// Of a line without an end. A file that is no trace at all may well have no other line.
  [[noreturn]] void refuse_end(std::string_view text, uint32_t line) {
    const std::size_t common = std::min(text.size(), beginning.size());
    const bool is_a_trace = text.substr(0, common) == beginning.substr(0, common);
    if (line == 1 && !is_a_trace) read_line(text, line);
    throw TraceError(line, "the last line has no end: the trace was cut off", make_again);
  }

  void read_line(std::string_view text, uint32_t number) {
    JsonLine::Object object;
    if (parser_.parse(text.data(), text.size(), false).get(object) != simdjson::SUCCESS) {
      if (number != 1) throw TraceError(number, "the line is no JSON object", make_again);
      throw TraceError(1, "the file is no trace: its first line is no JSON object", name_another);
    }
    const JsonLine line(object, number);
    if (number == 1) return begin(line);
    const std::string_view event = line.text("event");
    if (event == "end") return read_end(line);
    const auto kind = event_kind(event);
    if (!kind) line.refuse(fmt::format("\"{}\" is no event of {}", event, schema_));
    read_event(line, *kind);
  }

  void begin(const JsonLine& line) {
    if (!line.has("schema")) {
      throw TraceError(1, "the file is no trace: it has no schema", name_another);
    }
    schema_ = line.text("schema");
    if (!schema_.starts_with("pto2-trace/")) {
      throw TraceError(1, fmt::format("the file is no trace: its schema is {}", schema_),
                       name_another);
    }
    if (schema_ != trace_schema && schema_ != "pto2-trace/2") {
      throw TraceError(
          1, fmt::format("the schema is {}, neither {} nor pto2-trace/2", schema_, trace_schema),
          "validate with the pto2 that has written it, or make it again");
    }
    record_ = read_header(line);
    tasks_ = line.number("tasks");
    for (uint32_t thread = 0; thread < record_.threads.size(); ++thread) {
      threads_.emplace(record_.threads[thread], thread);
    }
    for (uint32_t core = 0; core < record_.cores.size(); ++core) {
      fields_.add_core(record_.cores[core].name, core);
    }
    times_.resize(record_.threads.size());
  }

  void read_end(const JsonLine& line) {
    ended_ = true;
    if (const uint64_t dropped = line.number("dropped"); dropped != 0) {
      throw TraceError(line.line(),
                       fmt::format("{} events found their buffer full and are missing", dropped),
                       "trace the run again with a larger --trace-events");
    }
    if (const uint64_t events = line.number("events"); events != record_.events.size()) {
      line.refuse(fmt::format("the trace had {} events and has {}: lines were lost or added",
                              events, record_.events.size()));
    }
    if (record_.tasks.size() != tasks_) {
      line.refuse(fmt::format("the header counts {} tasks, but {} were submitted", tasks_,
                              record_.tasks.size()));
    }
  }

  void read_event(const JsonLine& line, EventKind kind) {
    Event event;
    event.kind = kind;
    event.line = line.line();
    event.t = line.number("t");
    event.thread = thread_of(line);
    check_order(line, event);
    ThreadTimes& times = times_[event.thread];
    event.before = times.last;
    times.last = event.t;
    times.latest = std::max(times.latest, event.t);
    fields_.read(line, event);
    if (kind == EventKind::submit) count_parts(line);
    record_.events.push_back(event);
  }

  /// Rules go by the order of lines. Times that descend within a thread are VR-I3's: such a thread
  /// has its own order until it is past the latest time that it has had.
  void check_order(const JsonLine& line, const Event& event) {
    if (event.t < latest_ && event.t >= times_[event.thread].latest) {
      line.refuse(fmt::format(
          "its time is {}, and that of a line before it {}: lines are not sorted by time", event.t,
          latest_));
    }
    latest_ = std::max(latest_, event.t);
  }

  uint32_t thread_of(const JsonLine& line) {
    key_ = line.text("thread");
    const auto found = threads_.find(key_);
    if (found == threads_.end()) line.refuse(fmt::format("the header has no thread {}", key_));
    return found->second;
  }

  void count_parts(const JsonLine& line) {
    parts_ += record_.tasks.back().parts();
    if (parts_ < no_index) return;
    throw TraceError(line.line(), "the tasks so far have more parts than can be numbered",
                     "validate a shorter run");
  }

  std::string text_;  // and the bytes behind it that the parser may read
  std::size_t size_;
  simdjson::dom::parser parser_;
  std::string schema_;
  Record record_;
  EventReader fields_{record_};
  std::unordered_map<std::string, uint32_t> threads_;
  std::vector<ThreadTimes> times_;
  uint64_t latest_ = 0;  // of all times so far
  std::string key_;
  uint64_t tasks_ = 0;
  uint64_t parts_ = 0;
  bool ended_ = false;
};

}  // namespace

Record read_trace(const std::string& path) {
  return Reader(read_whole(path)).read();
}

Record read_trace_text(std::string text) {
  return Reader(std::move(text)).read();
}

}  // namespace pto2
