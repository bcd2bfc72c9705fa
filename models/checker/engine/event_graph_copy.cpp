// Copies of a graph that keep part of its events.
#include <algorithm>

#include "models/checker/engine/event_graph.hpp"

namespace pto2::model::engine {

void EventGraph::copy_kept(const EventGraph& from) {
  stride_ = from.stride_;
  row_capacity_ = rows_.size() / (3 * static_cast<std::size_t>(stride_));
  sc_events_ = 0;
  has_sc_fences_ = from.has_sc_fences_;
  base_ = 0;
  revisited_ = no_event;
  events_.clear();
  choices_.clear();
  updates_.clear();
  threads_.resize(from.threads_.size());
  for (std::size_t t = 0; t < threads_.size(); ++t) {
    threads_[t].events.clear();
    const EventId spawn = from.threads_[t].spawn;
    threads_[t].spawn = spawn == no_event ? no_event : renamed(spawn);
  }
  locations_.resize(from.locations_.size());
  for (std::size_t l = 0; l < locations_.size(); ++l) {
    locations_[l] = LocationState{};
    locations_[l].initial = from.locations_[l].initial;
  }
  for (EventId old = 0; old < from.size(); ++old) {
    if (renamed(old) == no_event) continue;
    Event& event = events_.emplace_back(from[old]);
    threads_[static_cast<std::size_t>(event.thread)].events.push_back(size() - 1);
    ensure_rows();
    std::copy_n(from.row(old, Row::happens_before), 3 * stride_,
                mutable_row(size() - 1, Row::happens_before));
    event.choices = 0;
    if (event.kind == Kind::rmw_read) {
      event.update = static_cast<std::int32_t>(updates_.size());
      updates_.push_back(from.update(old));
    }
    event.readers = event.mo_next = event.next_reader = no_event;
    event.listed = false;
    if (event.order == std::memory_order_seq_cst) ++sc_events_;
  }
}

void EventGraph::rebuild_links(const EventGraph& from, EventId unplaced) {
  for (EventId id = 0; id < size(); ++id) {
    Event& event = (*this)[id];
    if (event.rf != no_event && !is_initial(event.rf)) event.rf = renamed(event.rf);
    if (is_read(event.kind) && event.rf != no_event) list_reader(id);
    if (!is_write(event.kind) || event.mo_previous == no_event) continue;
    EventId previous = event.mo_previous;
    while (!is_initial(previous) && (renamed(previous) == no_event || previous == unplaced)) {
      previous = from[previous].mo_previous;
    }
    event.mo_previous = is_initial(previous) ? previous : renamed(previous);
  }
  for (EventId id = 0; id < size(); ++id) {
    const Event& event = (*this)[id];
    if (!is_write(event.kind) || event.mo_previous == no_event) continue;
    (is_initial(event.mo_previous) ? location(event.location).first
                                   : (*this)[event.mo_previous].mo_next) = id;
  }
  for (EventId id = 0; id < size(); ++id) {
    const Event& event = (*this)[id];
    if (is_write(event.kind) && event.mo_next == no_event && event.mo_previous != no_event) {
      location(event.location).last = id;
    }
  }
  for (LocationId l = 0; l < location_count(); ++l) rebuild_first_later(l);
}

void EventGraph::rebuild_first_later(LocationId l) {
  EventId oldest = never;
  for (EventId w = last_write(l); !is_initial(w); w = mo_previous(w)) {
    (*this)[w].first_later = oldest;
    oldest = std::min(oldest, w);
  }
  location(l).first_later = oldest;
}

void EventGraph::assign_restricted(const EventGraph& from, EventId revisited, EventId writer) {
  renamed_.assign(static_cast<std::size_t>(from.size()), no_event);
  const Count* past = from.row(writer, Row::causal);
  EventId next = 0;
  for (EventId old = 0; old < from.size(); ++old) {
    if (old <= revisited || from.covers(past, old))
      renamed_[static_cast<std::size_t>(old)] = next++;
  }
  copy_kept(from);
  const EventId own = size() - 1;
  (*this)[own].mo_previous = no_event;
  Event& read = (*this)[renamed(revisited)];
  if (read.order == std::memory_order_seq_cst) --sc_events_;
  read.rf = no_event;
  rebuild_links(from, writer);
  // What was held back is so no longer when the writer, or an older read, has changed.
  held_.clear();
  for (const HeldRead& held : from.held_) {
    if (revisited > held.writer) held_.push_back(held);
  }
}

void EventGraph::take_oldest_choices(EventGraph& from) {
  EventId owner = 0;
  while (owner + 1 < from.size() && from[owner + 1].choices == 0) ++owner;
  const std::int32_t count = owner + 1 < from.size()
                                 ? from[owner + 1].choices
                                 : static_cast<std::int32_t>(from.choices_.size());
  renamed_.assign(static_cast<std::size_t>(from.size()), no_event);
  for (EventId old = 0; old <= owner; ++old) renamed_[static_cast<std::size_t>(old)] = old;
  copy_kept(from);
  rebuild_links(from, no_event);
  held_ = from.held_;
  base_ = owner;
  if (owner == from.base_) revisited_ = from.revisited_;
  choices_.assign(from.choices_.begin(), from.choices_.begin() + count);
  from.choices_.erase(from.choices_.begin(), from.choices_.begin() + count);
  for (EventId later = owner + 1; later < from.size(); ++later) from[later].choices -= count;
}

}  // namespace pto2::model::engine
