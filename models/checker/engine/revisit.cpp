// Backward revisits: which earlier reads a new write may revisit, and the graphs that result.
#include <algorithm>

#include "models/checker/engine/coherence.hpp"
#include "models/checker/engine/exhaustive.hpp"

namespace pto2::model::engine {

/// IsMaximallyAdded of the paper: with respect to the events before it and those in the causal
/// past of the revisiting write, the event is (or reads) the newest write, and no earlier read
/// takes its value from it. Only then is it the one graph to start the revisit from. One that fails
/// spuriously is another one.
bool RevisitSweep::maximally_added(const EventGraph& graph, EventId event) {
  const Event& e = graph[event];
  EventId target = event;
  if (is_read(e.kind)) {
    if (e.spurious) return false;
    if (graph.is_held(e.thread, e.index)) return held_back_maximally(graph, event);
    target = e.rf;
  } else if (is_write(e.kind)) {
    if (graph.holds_back(event)) return false;  // of what it was read by
    for (EventId r = graph.first_reader(event); r != no_event; r = graph[r].next_reader) {
      if (r < event) return false;
    }
  } else {
    return true;
  }
  return graph.first_later(target) > event && newest_for_past(graph, e.location, target);
}

/// The same for a read that came again: writes that are not for it do not count.
bool RevisitSweep::held_back_maximally(const EventGraph& graph, EventId read) {
  const Event& e = graph[read];
  for (EventId w = graph.mo_next(e.rf); w != no_event; w = graph.mo_next(w)) {
    if (w != writer_ && (w < read || graph.covers(past_, w)) &&
        graph.admissible(e.thread, e.index, w)) {
      return false;
    }
  }
  return true;
}

bool RevisitSweep::newest_for_past(const EventGraph& graph, LocationId location, EventId target) {
  if (marked_[static_cast<std::size_t>(location)] != sweep_) mark_newest(graph, location);
  const auto& newest = is_initial(target) ? newest_initial_ : newest_;
  return newest[static_cast<std::size_t>(is_initial(target) ? location : target)] == sweep_;
}

void RevisitSweep::mark_newest(const EventGraph& graph, LocationId location) {
  marked_[static_cast<std::size_t>(location)] = sweep_;
  for (EventId w = graph.last_write(location); !is_initial(w); w = graph.mo_previous(w)) {
    newest_[static_cast<std::size_t>(w)] = sweep_;
    if (w != writer_ && graph.covers(past_, w)) return;
  }
  newest_initial_[static_cast<std::size_t>(location)] = sweep_;
}

/// The oldest event that a revisit may keep but for its past: reads held back that would be deleted
/// in a state that is not maximal stand in the way.
EventId RevisitSweep::oldest_revisit(const EventGraph& graph) const {
  EventId oldest = 0;
  for (std::size_t i = 0; i < graph.held().size(); ++i) {
    const HeldRead& held = graph.held()[i];
    if (past_[held.thread] > static_cast<Count>(held.index)) continue;
    if (!graph.held_maximally(i, writer_)) oldest = std::max(oldest, held.position);
  }
  return oldest;
}

void RevisitSweep::operator()(EventGraph& graph, EventId write) {
  const Event& own = graph[write];
  writer_ = write;
  past_ = graph.row(write, EventGraph::Row::causal);
  // Another update of the same source has to go: only reads up to it can be revisited.
  EventId newest = write;
  if (own.kind == Kind::rmw_write && own.mo_next != no_event) {
    const Event& other = graph[own.mo_next];
    if (other.kind == Kind::rmw_write && other.rf == own.rf) {
      if (graph.covers(past_, own.mo_next)) return;
      newest = graph.thread_event(other.thread, other.index - 1);
      if (graph.covers(past_, newest)) return;
    }
  }
  ++sweep_;
  newest_.resize(std::max(newest_.size(), static_cast<std::size_t>(graph.size())));
  newest_initial_.resize(static_cast<std::size_t>(graph.location_count()));
  marked_.resize(static_cast<std::size_t>(graph.location_count()));
  const EventId oldest = oldest_revisit(graph);
  for (EventId e = write - 1; e >= oldest; --e) {
    if (graph.covers(past_, e)) continue;
    if (!maximally_added(graph, e)) return;
    const Event& event = graph[e];
    if (is_read(event.kind) && event.location == own.location && e <= newest &&
        graph.admissible(event.thread, event.index, write)) {
      graph.choices().push_back({Choice::Kind::revisit, e});
      if (spurious_failures_ && event.kind == Kind::rmw_read &&
          graph.update(e).may_fail_on(own.value)) {
        graph.choices().push_back({Choice::Kind::revisit_spuriously, e});
      }
    }
  }
}

void Exhaustive::revisit(const EventGraph& graph, EventId read, bool spurious) {
  std::unique_ptr<EventGraph> child = fresh();
  child->assign_restricted(graph, read, graph.size() - 1);
  const EventId write = child->size() - 1;
  if (!prepare_positions(*child, read, write)) {
    spare_.push_back(std::move(child));
    return;
  }
  if ((*child)[read].kind == Kind::rmw_read) {
    child->set_update_reads_from(read, write, spurious);
  } else {
    child->set_reads_from(read, write, (*child)[read].order);
  }
  child->set_base(write);
  child->set_revisited(read);
  stack_.push_back(std::move(child));
}

/// Puts the positions of a revisiting write on its choice stack: coherent with its own past and
/// with the past of the read that now sees it.
bool Exhaustive::prepare_positions(EventGraph& child, EventId read, EventId write) {
  const Event& event = child[write];
  const Event& reader = child[read];
  const std::size_t stride = static_cast<std::size_t>(child.stride());
  const Count* own = child.clock_before(event.thread, event.index);
  const Count* other = child.clock_before(reader.thread, reader.index);
  clock_.assign(own, own + stride);
  for (std::size_t i = 0; i < stride; ++i) clock_[i] = std::max(clock_[i], other[i]);
  if (event.kind == Kind::rmw_write) {
    for (EventId w = child.mo_next(event.rf); w != no_event; w = child.mo_next(w)) {
      if (observed(child, w, clock_.data())) return false;
    }
    child.choices().push_back({Choice::Kind::place_after, event.rf});
    return true;
  }
  for_each_position(child, event.location, clock_.data(), [&](EventId predecessor) {
    child.choices().push_back({Choice::Kind::place_after, predecessor});
    return true;
  });
  return !child.choices().empty();
}

}  // namespace pto2::model::engine
