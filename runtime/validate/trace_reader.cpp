#include "runtime/validate/trace_reader.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <unordered_map>

#include "runtime/validate/chip_check.hpp"
#include "runtime/validate/json_line.hpp"
#include "runtime/validate/submission_reader.hpp"
#include "runtime/validate/whole_file.hpp"

namespace pto2::validation {
namespace {

using simdjson::dom::element;

constexpr const char* make_again = "make it again with pto2 run --trace";
constexpr const char* name_another = "name a file that pto2 run --trace has written";

/// How the header begins, of whatever version.
constexpr std::string_view beginning = R"({"schema":"pto2-trace/)";

std::optional<Kind> kind_of(std::string_view name) {
  for (std::size_t i = 0; i < kinds; ++i) {
    if (name == name_of(static_cast<Kind>(i))) return static_cast<Kind>(i);
  }
  return std::nullopt;
}

Lacking lacking_of(const JsonLine& line) {
  const std::string_view name = line.text("resource");
  for (const Lacking resource : {Lacking::task_ring, Lacking::heap_ring, Lacking::dep_pool,
                                 Lacking::tensormap, Lacking::cluster}) {
    if (name == name_of(resource)) return resource;
  }
  line.refuse(fmt::format("\"{}\" is no resource", name));
}

class Reader {
 public:
  explicit Reader(const std::string& path) : text_(read_whole(path)), size_(text_.size()) {
    text_.append(simdjson::SIMDJSON_PADDING, '\0');
  }

  Trace read() {
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
    return std::move(trace_);
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
    if (number == 1) return read_header(line);
    const std::string_view event = line.text("event");
    if (event == "end") return read_end(line);
    const auto kind = kind_of(event);
    if (!kind) line.refuse(fmt::format("\"{}\" is no event of pto2-trace/2", event));
    read_event(line, *kind);
  }

  void read_header(const JsonLine& line) {
    if (!line.has("schema")) {
      throw TraceError(1, "the file is no trace: it has no schema", name_another);
    }
    const std::string_view schema = line.text("schema");
    if (!schema.starts_with("pto2-trace/")) {
      throw TraceError(1, fmt::format("the file is no trace: its schema is {}", schema),
                       name_another);
    }
    if (schema != "pto2-trace/2") {
      throw TraceError(1, fmt::format("the schema is {}, not pto2-trace/2", schema),
                       "validate with the pto2 that has written it, or make it again");
    }
    const std::string_view error = trace_.error = line.text("error");
    trace_.weak_memory = line.has("weak_memory") && line.flag("weak_memory");
    trace_.given_up = line.flag("given_up");
    if (trace_.given_up != (error != "ok" && error != "not_drained")) {
      line.refuse(fmt::format("\"given_up\" contradicts \"error\" {}", error));
    }
    tasks_ = line.number("tasks");
    trace_.tensormap_pool = line.index("tensormap_pool");
    read_threads(line);
    read_cores(line);
    for (const element ring : line.list("rings")) {
      const JsonLine fields = line.inner(ring, "a ring");
      trace_.rings.push_back(
          {fields.index("window"), fields.number("heap"), fields.index("dep_pool")});
      const Ring& sizes = trace_.rings.back();
      if (sizes.window < 2 || sizes.heap == 0 || sizes.dep_pool == 0) {
        line.refuse("a ring has no room");
      }
    }
    if (trace_.rings.empty()) line.refuse("there are no rings");
    check_chip(line, trace_);
  }

  void read_threads(const JsonLine& line) {
    for (const element thread : line.list("threads")) {
      std::string_view name;
      if (thread.get(name) != simdjson::SUCCESS) line.refuse("a thread's name is no text");
      const auto number = static_cast<uint32_t>(trace_.threads.size());
      trace_.threads.emplace_back(name);
      if (!threads_.emplace(name, number).second) {
        line.refuse(fmt::format("two threads are called {}", name));
      }
    }
    trace_.roles.resize(trace_.threads.size(), Role::orchestrator);
    last_.resize(trace_.threads.size());
  }

  void read_cores(const JsonLine& line) {
    const JsonLine::Array cores = line.list("cores");
    for (const element core : cores) {
      const JsonLine fields = line.inner(core, "a core");
      const std::string name(fields.text("name"));
      const auto thread =
          threads_.find(fields.has("thread") ? std::string(fields.text("thread")) : name);
      if (thread == threads_.end()) line.refuse(fmt::format("core {} has no thread", name));
      const std::string_view type = fields.text("type");
      if (std::ranges::count(trace_.types, type) == 0) trace_.types.emplace_back(type);
      // What schedulers run themselves is a core of this type, one for each of them.
      trace_.roles[thread->second] = type == "ai_cpu" ? Role::scheduler : Role::core;
      const int64_t cluster = fields.signed_number("cluster");
      // Each cluster has a core, so that there are no more of them.
      if (cluster < -1 || cluster >= static_cast<int64_t>(cores.size())) {
        line.refuse(fmt::format("core {} of {} is of cluster {}", name, cores.size(), cluster));
      }
      if (!cores_.emplace(name, static_cast<uint32_t>(trace_.cores.size())).second) {
        line.refuse(fmt::format("two cores are called {}", name));
      }
      trace_.cores.push_back({name, type_of(fields, trace_), thread->second, cluster});
      trace_.clusters = std::max(trace_.clusters, static_cast<uint64_t>(cluster + 1));
    }
  }

  void read_end(const JsonLine& line) {
    ended_ = true;
    if (const uint64_t dropped = line.number("dropped"); dropped != 0) {
      throw TraceError(line.line(),
                       fmt::format("{} events found their buffer full and are missing", dropped),
                       "trace the run again with a larger --trace-events");
    }
    if (const uint64_t events = line.number("events"); events != trace_.events.size()) {
      line.refuse(fmt::format("the trace had {} events and has {}: lines were lost or added",
                              events, trace_.events.size()));
    }
    if (trace_.submissions.size() != tasks_) {
      line.refuse(fmt::format("the header counts {} tasks, but {} were submitted", tasks_,
                              trace_.submissions.size()));
    }
  }

  uint32_t find(const std::unordered_map<std::string, uint32_t>& names, const JsonLine& line,
                std::string_view field) {
    key_ = line.text(field);
    const auto found = names.find(key_);
    if (found == names.end()) line.refuse(fmt::format("the header has no {} {}", field, key_));
    return found->second;
  }

  void read_event(const JsonLine& line, Kind kind) {
    Event event;
    event.kind = kind;
    event.line = line.line();
    event.t = line.number("t");
    event.thread = find(threads_, line, "thread");
    event.before = last_[event.thread];
    last_[event.thread] = event.t;
    read_details(line, event);
    if (kind == Kind::submit) add_submission(line);
    const bool of_a_pipe = kind == Kind::pipe || kind == Kind::leftover;
    if (of_a_pipe) trace_.pipe_uses.push_back(read_pipe_use(line, trace_, kind));
    trace_.events.push_back(event);
  }

  void add_submission(const JsonLine& line) {
    trace_.submissions.push_back(read_submission(line, trace_));
    parts_ += trace_.submissions.back().parts();
    if (parts_ < no_index) return;
    throw TraceError(line.line(), "the tasks so far have more parts than can be numbered",
                     "validate a shorter run");
  }

  void read_task(const JsonLine& line, Event& event) const {
    const TaskName task = task_of(line, trace_);
    event.ring = task.ring;
    event.number = task.number;
  }

  void read_details(const JsonLine& line, Event& event) {
    switch (event.kind) {
      case Kind::submit:
      case Kind::consume:
      case Kind::reclaim:
      case Kind::pipe:
        return read_task(line, event);
      case Kind::ready:
        event.place = type_of(line, trace_);
        return read_task(line, event);
      case Kind::dispatch:
        event.place = find(cores_, line, "core");
        event.part = line.index("part");
        return read_task(line, event);
      case Kind::ack:
      case Kind::fin:
        event.part = line.index("part");
        return read_task(line, event);
      case Kind::join:
        event.part = line.index("part");
        event.group = line.number("group");
        event.place = cluster_of(line);
        return read_task(line, event);
      case Kind::wait:
        if (!line.has("resource")) return;
        event.lacking = lacking_of(line);
        event.requested = line.number("requested");
        if (event.lacking != Lacking::cluster) read_task(line, event);
        return;
      case Kind::allocate:
      case Kind::close:
        event.number = line.number("group");
        [[fallthrough]];
      case Kind::give_back:
        event.place = cluster_of(line);
        return;
      case Kind::scope_begin:
      case Kind::scope_end:
        event.number = line.number("scope");
        event.place = line.index("depth");
        return;
      case Kind::exit:
      case Kind::leftover:
        return;
    }
  }

  [[nodiscard]] uint32_t cluster_of(const JsonLine& line) const {
    const uint32_t cluster = line.index("cluster");
    if (cluster >= trace_.clusters) {
      line.refuse(fmt::format("cluster {} of {}", cluster, trace_.clusters));
    }
    return cluster;
  }

  std::string text_;  // and the bytes behind it that the parser may read
  std::size_t size_;
  simdjson::dom::parser parser_;
  Trace trace_;
  std::unordered_map<std::string, uint32_t> threads_;
  std::unordered_map<std::string, uint32_t> cores_;
  std::vector<uint64_t> last_;  // time of each thread's last event
  std::string key_;
  uint64_t tasks_ = 0;
  uint64_t parts_ = 0;
  bool ended_ = false;
};

}  // namespace

Trace read_trace(const std::string& path) {
  return Reader(path).read();
}

}  // namespace pto2::validation
