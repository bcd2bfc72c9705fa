// Reads that were taken out of a graph, and which graphs they leave to others.
//
// A write w revisits the last read r of a predicate, which then is false. With r in the graph its
// thread is blocked until a later write revisits r again. Instead the search goes on without r, and
// adds it when there is a value for it: most blocked graphs then never come up ("Unblocking dynamic
// partial order reduction", CAV 2023). To find each graph once, r and everything that would have
// depended on it keep to what they could have done had r stayed where it was:
// - r reads from a write whose past has w, and that could have revisited r in its place;
// - w is not deleted, since r read from it;
// - a revisit of a read older than r, which deletes r, needs r to have been maximally added.
#include "models/checker/engine/event_graph.hpp"

namespace pto2::model::engine {

void EventGraph::assign_holding_back(const EventGraph& from) {
  const EventId read = from.revisited_;
  const HeldRead held{from[read].thread, from[read].index, from[read].location, read,
                      from.base_ - 1};
  renamed_.assign(static_cast<std::size_t>(from.size()), no_event);
  for (EventId old = 0; old < from.size(); ++old) {
    if (old != read) renamed_[static_cast<std::size_t>(old)] = old < read ? old : old - 1;
  }
  copy_kept(from);
  rebuild_links(from, no_event);
  base_ = from.base_ - 1;
  held_ = from.held_;
  held_.push_back(held);
}

bool EventGraph::admits(std::size_t which, EventId write) const {
  const HeldRead& held = held_[which];
  return !is_initial(write) && covers(row(write, Row::causal), held.writer) &&
         held_maximally(which, write);  // which is false of held.writer itself
}

bool EventGraph::held_maximally(std::size_t which, EventId writer) const {
  const HeldRead& held = held_[which];
  const Count* const past = row(writer, Row::causal);
  // Of several times that one read was held back, the later ones know only what the earlier admit.
  const auto counts = [&](EventId write) {
    if (write == writer) return false;
    if (!is_initial(write) && write >= held.position && !covers(past, write)) return false;
    for (std::size_t i = 0; i < which; ++i) {
      const bool same = held_[i].thread == held.thread && held_[i].index == held.index;
      if (same && !admits(i, write)) return false;
    }
    return true;
  };
  for (EventId write = last_write(held.location);; write = mo_previous(write)) {
    if (counts(write)) return write == held.writer || admits(which, write);
    if (is_initial(write)) return false;
  }
}

}  // namespace pto2::model::engine
