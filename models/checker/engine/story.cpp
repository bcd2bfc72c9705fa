#include "models/checker/engine/story.hpp"

#include <algorithm>
#include <cstdio>

#include "models/checker/engine/script.hpp"

namespace pto2::model::engine {

namespace {

const char* name_of(Kind kind) {
  switch (kind) {
    case Kind::read:
      return "load";
    case Kind::rmw_read:
      return "rmw_read";
    case Kind::write:
      return "store";
    case Kind::rmw_write:
      return "rmw_write";
    case Kind::fence:
      return "fence";
    case Kind::spawn:
      return "spawn";
    case Kind::join:
      return "join";
  }
  return "unknown operation";
}

std::string text_of(const Value& value, detail::TypeInfo type) {
  char text[64];
  if (type.is_pointer) {
    if (value.low == 0) return "nullptr";
    std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value.low));
  } else if (type.bytes > 8) {
    std::snprintf(text, sizeof text, "{0x%llx, 0x%llx}", static_cast<unsigned long long>(value.low),
                  static_cast<unsigned long long>(value.high));
  } else if (type.is_signed && type.bytes > 0) {
    const int unused = 64 - 8 * type.bytes;
    const std::int64_t number = static_cast<std::int64_t>(value.low << unused) >> unused;
    std::snprintf(text, sizeof text, "%lld", static_cast<long long>(number));
  } else {
    std::snprintf(text, sizeof text, "%llu", static_cast<unsigned long long>(value.low));
  }
  return text;
}

class Storyteller {
 public:
  Storyteller(const Execution& execution, const EventGraph& graph)
      : execution_(execution), graph_(graph) {}

  ReportedEvent report(EventId id) const {
    const Event& event = graph_[id];
    ReportedEvent reported;
    reported.thread = event.thread;
    reported.operation = name_of(event.kind);
    if (event.kind != Kind::spawn && event.kind != Kind::join) {
      reported.order = model::to_string(event.order);
    }
    if (is_read(event.kind)) reported.value = value(event.rf, event.location);
    if (is_write(event.kind)) reported.value = value(id, event.location);
    reported.text = text(id);
    reported.file = event.site.file_name();
    reported.line = event.site.line();
    if (is_read(event.kind)) {
      reported.reads_from = source(event.rf, event.location);
      const EventId newest = graph_.last_write(event.location);
      const bool own = newest >= 0 && graph_[newest].kind == Kind::rmw_write &&
                       graph_[newest].rf == event.rf && graph_[newest].thread == event.thread;
      if (newest != event.rf && !own) reported.missed = source(newest, event.location);
    }
    return reported;
  }

  std::string text(EventId id) const {
    const Event& event = graph_[id];
    const std::string order = model::to_string(event.order);
    switch (event.kind) {
      case Kind::fence:
        return "fence(" + order + ")";
      case Kind::spawn:
        return "starts " + execution_.thread_name(event.location);
      case Kind::join:
        return "joins " + execution_.thread_name(event.location);
      case Kind::read:
        return name(id) + ".load(" + order + ") = " + value(event.rf, event.location);
      case Kind::write:
        return name(id) + ".store(" + value(id, event.location) + ", " + order + ")";
      case Kind::rmw_write:
        return name(id) + " becomes " + value(id, event.location);
      case Kind::rmw_read:
        return update(id);
    }
    return {};
  }

 private:
  std::string name(EventId id) const { return execution_.location_name(graph_[id].location); }
  std::string value(EventId write, LocationId location) const {
    return text_of(graph_.value_of(write), execution_.location_type(location));
  }

  std::string update(EventId id) const {
    const Event& event = graph_[id];
    const Update& operation = graph_.update(id);
    const detail::TypeInfo type = execution_.location_type(event.location);
    std::string text = name(id);
    if (operation.conditional()) {
      text += ".compare_exchange(" + text_of(operation.expected, type) + " -> " +
              text_of(operation.operand, type) + ", " + model::to_string(event.order) + ")";
      text += graph_.stores(id) ? " succeeds" : (event.spurious ? " fails spuriously" : " fails");
    } else {
      text += ".update(" + std::string(model::to_string(event.order)) + ")";
    }
    return text + ", reads " + value(event.rf, event.location);
  }

  std::string source(EventId write, LocationId location) const {
    const std::string what = value(write, location);
    if (is_initial(write)) return what + ", the initial value";
    const Event& event = graph_[write];
    return what + " from " + execution_.thread_name(event.thread) + " at " + to_string(event.site);
  }

  const Execution& execution_;
  const EventGraph& graph_;
};

/// Adds the locations of the events of `order` and the edges between these events.
void add_relations(const Execution& execution, const EventGraph& graph,
                   const std::vector<EventId>& order, Violation& violation) {
  using Kind = ReportedEdge::Kind;
  std::vector<int> positions(static_cast<std::size_t>(graph.size()), -1);
  for (std::size_t i = 0; i < order.size(); ++i) {
    positions[static_cast<std::size_t>(order[i])] = static_cast<int>(i);
  }
  std::vector<int> locations(static_cast<std::size_t>(graph.location_count()), -1);
  const auto edge = [&](Kind kind, EventId from, int to) {
    const int source = from < 0 ? -1 : positions[static_cast<std::size_t>(from)];
    if (source >= 0) violation.edges.push_back({kind, source, to});
  };
  for (const EventId id : order) {
    const Event& event = graph[id];
    const int to = positions[static_cast<std::size_t>(id)];
    if (event.index == 0) edge(Kind::starts, graph.spawn_of(event.thread), to);
    if (event.kind == engine::Kind::join && graph.thread_size(event.location) > 0) {
      const std::int32_t last = graph.thread_size(event.location) - 1;
      edge(Kind::ends, graph.thread_event(event.location, last), to);
    }
    if (!is_read(event.kind) && !is_write(event.kind)) continue;
    int& location = locations[static_cast<std::size_t>(event.location)];
    if (location < 0) {
      location = static_cast<int>(violation.locations.size());
      ReportedLocation& added = violation.locations.emplace_back();
      const EventId initial = initial_write(event.location);
      added.name = execution.location_name(event.location);
      added.initial = text_of(graph.value_of(initial), execution.location_type(event.location));
      for (EventId w = graph.mo_next(initial); w != no_event; w = graph.mo_next(w)) {
        const int position = positions[static_cast<std::size_t>(w)];
        if (position >= 0) added.modification_order.push_back(position);
      }
    }
    violation.events[static_cast<std::size_t>(to)].location = location;
    if (!is_read(event.kind)) continue;
    if (is_initial(event.rf)) {
      violation.edges.push_back({Kind::reads_from, -1 - location, to});
    } else {
      edge(Kind::reads_from, event.rf, to);
    }
  }
}

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result;
}

std::string to_dot(const Violation& violation) {
  std::string dot = "digraph execution {\n  node [shape=box, fontname=monospace];\n";
  const auto node = [](int id) {
    return (id < 0 ? "i" : "e") + std::to_string(id < 0 ? -1 - id : id);
  };
  const auto add_node = [&](int id, const std::string& label) {
    dot += "  " + node(id) + " [label=\"" + escaped(label) + "\"];\n";
  };
  const auto add_edge = [&](int from, int to, const char* label) {
    dot += "  " + node(from) + " -> " + node(to) + " [label=" + label + "];\n";
  };
  std::vector<int> last(violation.threads.size(), -1);
  for (int id = 0; id < static_cast<int>(violation.events.size()); ++id) {
    const ReportedEvent& event = violation.events[static_cast<std::size_t>(id)];
    const std::size_t thread = static_cast<std::size_t>(event.thread);
    add_node(id, violation.threads[thread] + ": " + event.text);
    if (last[thread] >= 0) add_edge(last[thread], id, "po");
    last[thread] = id;
  }
  int initial = -1;
  for (const ReportedLocation& location : violation.locations) {
    add_node(initial, location.name + " = " + location.initial + " initially");
    int previous = initial--;
    for (const int write : location.modification_order) {
      add_edge(previous, write, "mo");
      previous = write;
    }
  }
  for (const ReportedEdge& edge : violation.edges) {
    add_edge(edge.from, edge.to, to_string(edge.kind));
  }
  return dot + "}\n";
}

/// The order as a script that ends with the thread `last`, if there is one. Threads that have run
/// without any step, to their ends or until they waited, do so before its last one: it may collide
/// with what they did.
Script script_of(const Execution& execution, const EventGraph& graph, ThreadId last,
                 const std::vector<EventId>& order) {
  Script script = to_script(graph, order);
  std::size_t before = order.size();
  if (before != 0 && graph[order[before - 1]].thread == last) {
    before -= graph[order[before - 1]].kind == Kind::rmw_write ? 2 : 1;
  }
  const auto starts = [&](ThreadId t) {
    return t == 0 || std::find(order.begin(), order.end(), graph.spawn_of(t)) != order.end();
  };
  for (ThreadId t = 0; t < graph.thread_count(); ++t) {
    if (t != last && graph.thread_size(t) == 0 && execution.has_run(t) && starts(t)) {
      script.silent_runs.push_back({before, t});
    }
  }
  if (last >= 0) script.silent_runs.push_back({order.size(), last});
  script.seal(graph, order);
  return script;
}

}  // namespace

Violation describe(const Execution& execution, const EventGraph& graph, const FailedRun& failure,
                   const Part& part) {
  Violation violation;
  violation.kind = failure.kind;
  violation.message = failure.message;
  violation.thread = failure.thread;
  violation.site = failure.site;
  for (ThreadId t = 0; t < graph.thread_count(); ++t) {
    violation.threads.push_back(execution.thread_name(t));
  }
  const Storyteller teller(execution, graph);
  const std::vector<EventId> order = linearise(graph, part);
  for (EventId id : order) violation.events.push_back(teller.report(id));
  violation.token = script_of(execution, graph, part.last, order).to_token();
  add_relations(execution, graph, order, violation);
  violation.dot = to_dot(violation);
  return violation;
}

}  // namespace pto2::model::engine
