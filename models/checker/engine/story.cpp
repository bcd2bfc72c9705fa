#include "models/checker/engine/story.hpp"

#include <cstdio>

#include "models/checker/engine/script.hpp"

namespace pto2::model::engine {

namespace {

const char* name_of(std::memory_order order) {
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
    const std::string order = name_of(event.order);
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
              text_of(operation.operand, type) + ", " + name_of(event.order) + ")";
      text += graph_.stores(id) ? " succeeds" : (event.spurious ? " fails spuriously" : " fails");
    } else {
      text += ".update(" + std::string(name_of(event.order)) + ")";
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

std::string to_dot(const EventGraph& graph, const std::vector<EventId>& order,
                   const Storyteller& teller, const Execution& execution) {
  std::string dot = "digraph execution {\n  node [shape=box, fontname=monospace];\n";
  std::vector<bool> shown(static_cast<std::size_t>(graph.size()), false);
  const auto node = [](EventId id) { return std::string("e").append(std::to_string(id)); };
  for (EventId id : order) {
    shown[static_cast<std::size_t>(id)] = true;
    dot += "  " + node(id) + " [label=\"" + execution.thread_name(graph[id].thread) + ": " +
           teller.text(id) + "\"];\n";
  }
  const auto edge = [&](EventId from, EventId to, const char* label) {
    if (from < 0 || to < 0 || !shown[static_cast<std::size_t>(from)] ||
        !shown[static_cast<std::size_t>(to)]) {
      return;
    }
    dot += "  " + node(from) + " -> " + node(to) + " [label=" + label + "];\n";
  };
  for (EventId id : order) {
    const Event& event = graph[id];
    if (event.index > 0) {
      edge(graph.thread_event(event.thread, event.index - 1), id, "po");
    } else {
      edge(graph.spawn_of(event.thread), id, "start");
    }
    if (is_read(event.kind)) edge(event.rf, id, "rf");
    if (is_write(event.kind)) edge(event.mo_previous, id, "mo");
    if (event.kind == Kind::join && graph.thread_size(event.location) > 0) {
      edge(graph.thread_event(event.location, graph.thread_size(event.location) - 1), id, "end");
    }
  }
  return dot + "}\n";
}

}  // namespace

Violation describe(const Execution& execution, const EventGraph& graph, const FailedRun& failure,
                   ThreadId last_of) {
  Violation violation;
  violation.kind = failure.kind;
  violation.message = failure.message;
  violation.thread = failure.thread;
  violation.site = failure.site;
  for (ThreadId t = 0; t < graph.thread_count(); ++t) {
    violation.threads.push_back(execution.thread_name(t));
  }
  const Storyteller teller(execution, graph);
  const std::vector<EventId> order = linearise(graph, last_of);
  for (EventId id : order) violation.events.push_back(teller.report(id));
  violation.token = to_script(graph, order).to_token();
  violation.dot = to_dot(graph, order, teller, execution);
  return violation;
}

}  // namespace pto2::model::engine
