// What coherence and atomicity leave open to a new event at the end of its thread. Because such an
// event has no successors, checking its position in modification order against its own past is all
// there is to check (Kokologiannakis et al., "Truly Stateless, Optimal Dynamic Partial Order
// Reduction", POPL 2022, section 4).
#pragma once

#include "models/checker/engine/event_graph.hpp"

namespace pto2::model::engine {

/// Whether somebody whose past is `clock` has seen `write`: nothing older can be read, and nothing
/// can be written before it.
inline bool observed(const EventGraph& graph, EventId write, const Count* clock) {
  if (is_initial(write)) return true;
  if (graph.covers(clock, write)) return true;
  for (EventId r = graph.first_reader(write); r != no_event; r = graph[r].next_reader) {
    if (graph.covers(clock, r)) return true;
  }
  return false;
}

/// Calls `visit(write)` for every write that somebody with the past `clock` may still read, from
/// the newest to the oldest, until it returns false.
template <class Visit>
void for_each_readable(const EventGraph& graph, LocationId location, const Count* clock,
                       Visit&& visit) {
  for (EventId write = graph.last_write(location);; write = graph.mo_previous(write)) {
    if (!visit(write)) return;
    if (observed(graph, write, clock)) return;
  }
}

/// Calls `visit(predecessor)` for every position of a new write by somebody with the past `clock`,
/// from the newest to the oldest. No position separates an update from the write it read.
template <class Visit>
void for_each_position(const EventGraph& graph, LocationId location, const Count* clock,
                       Visit&& visit) {
  for_each_readable(graph, location, clock, [&](EventId predecessor) {
    return graph.update_of(predecessor) != no_event || visit(predecessor);
  });
}

}  // namespace pto2::model::engine
