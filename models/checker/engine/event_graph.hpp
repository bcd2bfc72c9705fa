#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "models/checker/engine/event.hpp"

namespace pto2::model::engine {

/// What remains to be tried at an event, newest first.
struct Choice {
  enum class Kind : std::uint8_t {
    read_from,
    fail_spuriously,
    place_after,
    revisit,
    revisit_spuriously,  ///< the same by a compare-exchange that fails although it would succeed
  };

  Kind kind;
  EventId target;
  bool holds = false;  ///< a read_from: the predicate it belongs to was seen to hold with it
};

/// A read that has been taken out of a graph because `writer`, which revisited it, leaves its
/// predicate false. It comes again, for writes that have the writer in their causal past; graphs
/// where it reads from others are found from other graphs.
struct HeldRead {
  ThreadId thread;
  std::int32_t index;
  LocationId location;
  EventId position;  ///< the event that followed the read
  EventId writer;
};

/// State of one location within a graph.
struct LocationState {
  EventId first = no_event;  ///< modification order without the initial write
  EventId last = no_event;
  EventId readers = no_event;   ///< of the initial write
  EventId first_later = never;  ///< of the initial write
  Value initial;
};

/// An execution graph in flat arrays: program order, reads-from, modification order and the vector
/// clocks derived from them. Events are added at the end and taken away from the end; the clocks
/// of an event never change once another event depends on it.
class EventGraph {
 public:
  /// Which vector clock of an event: happens-before, (program order and reads-from)+, and what an
  /// acquire that reads this write gains.
  enum class Row : std::uint8_t { happens_before, causal, gain };

  void clear();
  /// Keeps the events up to `revisited` and those in the causal past of `writer`, which comes
  /// last and is left out of the modification order; everything else of `from` is dropped.
  void assign_restricted(const EventGraph& from, EventId revisited, EventId writer);
  /// Keeps everything but the revisited read, which is held back.
  void assign_holding_back(const EventGraph& from);
  /// Becomes the part of `from` up to its oldest event with choices, and takes these choices away
  /// from it. There must be such an event.
  void take_oldest_choices(EventGraph& from);

  std::int32_t size() const { return static_cast<std::int32_t>(events_.size()); }
  Event& operator[](EventId event) { return events_[static_cast<std::size_t>(event)]; }
  const Event& operator[](EventId event) const { return events_[static_cast<std::size_t>(event)]; }

  std::int32_t thread_count() const { return static_cast<std::int32_t>(threads_.size()); }
  std::int32_t thread_size(ThreadId thread) const {
    return static_cast<std::int32_t>(threads_[static_cast<std::size_t>(thread)].events.size());
  }
  EventId thread_event(ThreadId thread, std::int32_t index) const {
    return threads_[static_cast<std::size_t>(thread)].events[static_cast<std::size_t>(index)];
  }
  EventId spawn_of(ThreadId thread) const {
    return threads_[static_cast<std::size_t>(thread)].spawn;
  }
  /// Makes room for threads with ids below `count`.
  void reserve_threads(std::int32_t count);
  /// Makes room for locations with ids below `count`.
  void reserve_locations(std::int32_t count);
  std::int32_t location_count() const { return static_cast<std::int32_t>(locations_.size()); }
  LocationState& location(LocationId location) {
    return locations_[static_cast<std::size_t>(location)];
  }
  const LocationState& location(LocationId location) const {
    return locations_[static_cast<std::size_t>(location)];
  }

  /// Adds an event at the end of `thread`; its clocks are those of its predecessor, advanced.
  EventId append(ThreadId thread, Kind kind, std::memory_order order, LocationId location,
                 const std::source_location& site);
  /// Adds the read of a read-modify-write.
  EventId append_update(ThreadId thread, LocationId location, const Update& update,
                        const std::source_location& site);
  Update& update(EventId read) { return updates_[static_cast<std::size_t>((*this)[read].update)]; }
  const Update& update(EventId read) const {
    return updates_[static_cast<std::size_t>((*this)[read].update)];
  }
  /// Whether the operation of an rmw_read stores, given the write it reads.
  bool stores(EventId read) const {
    const Event& event = (*this)[read];
    return event.kind == Kind::rmw_read && !event.spurious &&
           update(read).succeeds_on(value_of(event.rf));
  }
  /// Lets an rmw_read read `write`; its order follows from whether it then stores.
  void set_update_reads_from(EventId read, EventId write, bool spurious);
  /// Takes the newest event away, out of every relation.
  void pop();

  /// Lets a read without successors take its value from `write`, with the order it then has.
  void set_reads_from(EventId read, EventId write, std::memory_order order);
  void unset_reads_from(EventId read);
  /// Computes what an acquire gains from a write by itself.
  void set_gain(EventId write, bool rc11_release_sequences);
  /// Adds to that what an update inherits from the write it reads (a release sequence).
  void continue_release_sequence(EventId update);
  /// Puts a write, the newest event, into modification order.
  void link_after(EventId write, EventId predecessor);
  /// Takes it out again.
  void unlink(EventId write);
  /// Adds to a fence's clock what the thread's earlier reads have gained.
  void acquire_by_fence(EventId fence);
  void set_spawned(ThreadId child, EventId spawn);
  /// Adds the past of a finished thread to a join.
  void set_joined(EventId join, ThreadId child);

  const Count* row(EventId event, Row which) const {
    return &rows_[(static_cast<std::size_t>(event) * 3 + static_cast<std::size_t>(which)) *
                  static_cast<std::size_t>(stride_)];
  }
  std::int32_t stride() const { return stride_; }
  /// The happens-before clock that the next event of a thread starts from.
  const Count* clock_before(ThreadId thread, std::int32_t index) const;
  /// Whether a clock covers an event; initial writes are covered by every clock.
  bool covers(const Count* clock, EventId event) const {
    return is_initial(event) ||
           clock[(*this)[event].thread] > static_cast<Count>((*this)[event].index);
  }
  bool happens_before(EventId a, EventId b) const {
    return a != b && covers(row(b, Row::happens_before), a);
  }

  const Value& value_of(EventId write) const {
    return is_initial(write) ? location(~write).initial : (*this)[write].value;
  }
  EventId last_write(LocationId l) const {
    return location(l).last == no_event ? initial_write(l) : location(l).last;
  }
  EventId mo_next(EventId write) const {
    return is_initial(write) ? location(~write).first : (*this)[write].mo_next;
  }
  EventId mo_previous(EventId write) const { return (*this)[write].mo_previous; }
  EventId first_later(EventId write) const {
    return is_initial(write) ? location(~write).first_later : (*this)[write].first_later;
  }
  EventId first_reader(EventId write) const {
    return is_initial(write) ? location(~write).readers : (*this)[write].readers;
  }
  /// The update that reads from `write`, or no_event.
  EventId update_of(EventId write) const {
    const EventId next = mo_next(write);
    return next != no_event && (*this)[next].kind == Kind::rmw_write ? next : no_event;
  }

  /// Whether the thread's read of this index has been held back, in this graph or one before it.
  bool is_held(ThreadId thread, std::int32_t index) const {
    for (const HeldRead& held : held_) {
      if (held.thread == thread && held.index == index) return true;
    }
    return false;
  }
  /// The same, and whether it was because of this write.
  bool is_held_for(ThreadId thread, std::int32_t index, EventId writer) const {
    for (const HeldRead& held : held_) {
      if (held.thread == thread && held.index == index && held.writer == writer) return true;
    }
    return false;
  }
  /// Whether the thread's read of this index may take its value from `write`.
  bool admissible(ThreadId thread, std::int32_t index, EventId write) const {
    for (std::size_t i = 0; i < held_.size(); ++i) {
      if (held_[i].thread == thread && held_[i].index == index && !admits(i, write)) return false;
    }
    return true;
  }
  /// Whether a held read has the value that it would have been given last, had it stayed, in the
  /// graph of the events before it and the past of `writer`, without the writer.
  bool held_maximally(std::size_t which, EventId writer) const;
  const std::vector<HeldRead>& held() const { return held_; }
  /// Whether a read is held back because of this write.
  bool holds_back(EventId write) const {
    for (const HeldRead& held : held_) {
      if (held.writer == write) return true;
    }
    return false;
  }

  std::int32_t sc_events() const { return sc_events_; }
  /// False: it has no SC fence.
  bool may_have_sc_fences() const { return has_sc_fences_; }
  std::vector<Choice>& choices() { return choices_; }
  const std::vector<Choice>& choices() const { return choices_; }
  /// Events below the base belong to the graph this one was made from.
  std::int32_t base() const { return base_; }
  void set_base(std::int32_t base) { base_ = base; }
  /// The read whose revisit made this graph, or no_event.
  EventId revisited() const { return revisited_; }
  void set_revisited(EventId read) { revisited_ = read; }
  std::size_t memory() const;

 private:
  struct Thread {
    std::vector<EventId> events;
    EventId spawn = no_event;
  };

  Count* mutable_row(EventId event, Row which) { return const_cast<Count*>(row(event, which)); }
  bool admits(std::size_t which, EventId write) const;
  void join_rows(Count* into, const Count* from) const;
  void copy_base_rows(EventId event);
  EventId& first_later_of(EventId write, LocationId l) {
    return is_initial(write) ? location(l).first_later : (*this)[write].first_later;
  }
  void list_reader(EventId read);
  void ensure_rows() {
    if (events_.size() + 1 > row_capacity_) grow_rows();
  }
  void grow_rows();
  EventId renamed(EventId old) const { return renamed_[static_cast<std::size_t>(old)]; }
  void copy_kept(const EventGraph& from);
  void rebuild_first_later(LocationId l);
  void rebuild_links(const EventGraph& from, EventId unplaced);

  std::vector<Event> events_;
  std::vector<Count> rows_;
  std::vector<Thread> threads_;
  std::vector<LocationState> locations_;
  std::vector<Choice> choices_;
  std::vector<Update> updates_;
  std::vector<HeldRead> held_;
  std::vector<EventId> renamed_;  // new ids of kept events while a copy is made
  std::size_t row_capacity_ = 0;  // events that rows_ has room for
  std::int32_t stride_ = 8;
  std::int32_t sc_events_ = 0;
  bool has_sc_fences_ = false;  // or had one
  std::int32_t base_ = 0;
  EventId revisited_ = no_event;
};

/// Of the events of a thread before this position, of which there must be one.
inline std::uint64_t version_at(const EventGraph& graph, ThreadId thread, std::int32_t position) {
  return graph[graph.thread_event(thread, position - 1)].version;
}

}  // namespace pto2::model::engine
