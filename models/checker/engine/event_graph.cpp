#include "models/checker/engine/event_graph.hpp"

#include <algorithm>
#include <cstring>

namespace pto2::model::engine {

namespace {

/// Unique among all OS threads, whose searches exchange graphs.
thread_local std::uint64_t last_version = [] {
  static std::atomic<std::uint64_t> os_threads{0};
  return os_threads.fetch_add(1) << 44;
}();

}  // namespace

void EventGraph::clear() {
  events_.clear();
  for (Thread& thread : threads_) {
    thread.events.clear();
    thread.spawn = no_event;
  }
  for (LocationState& location : locations_) location = LocationState{};
  choices_.clear();
  updates_.clear();
  held_.clear();
  sc_events_ = 0;
  has_sc_fences_ = false;
  base_ = 0;
  revisited_ = no_event;
}

void EventGraph::reserve_threads(std::int32_t count) {
  if (count <= thread_count()) return;
  threads_.resize(static_cast<std::size_t>(count));
  if (count <= stride_) return;
  std::int32_t stride = stride_;
  while (stride < count) stride *= 2;
  std::vector<Count> rows(row_capacity_ * 3 * static_cast<std::size_t>(stride));
  for (std::size_t row = 0; row < (events_.size()) * 3; ++row) {
    std::copy_n(&rows_[row * static_cast<std::size_t>(stride_)], stride_,
                &rows[row * static_cast<std::size_t>(stride)]);
  }
  rows_ = std::move(rows);
  stride_ = stride;
}

void EventGraph::reserve_locations(std::int32_t count) {
  if (count > location_count()) locations_.resize(static_cast<std::size_t>(count));
}

void EventGraph::grow_rows() {
  row_capacity_ = std::max<std::size_t>(64, 2 * (events_.size() + 1));
  rows_.resize(row_capacity_ * 3 * static_cast<std::size_t>(stride_));
}

void EventGraph::join_rows(Count* __restrict into, const Count* __restrict from) const {
  // Strides are multiples of eight, which lets the compiler use whole registers.
  for (std::int32_t i = 0; i < stride_; i += 8) {
    for (std::int32_t j = i; j < i + 8; ++j) into[j] = std::max(into[j], from[j]);
  }
}

void EventGraph::copy_base_rows(EventId event) {
  const Event& e = (*this)[event];
  Count* hb = mutable_row(event, Row::happens_before);
  const EventId previous = e.index > 0 ? thread_event(e.thread, e.index - 1) : spawn_of(e.thread);
  // The rows happens_before and causal are neighbours, so one copy takes both.
  const std::size_t both = 2 * static_cast<std::size_t>(stride_);
  if (previous == no_event) {
    std::fill_n(hb, both, Count{0});
  } else {
    // A stride is a multiple of eight counts; whole registers beat a call for so few bytes.
    const Count* const from = row(previous, Row::happens_before);
    for (std::size_t i = 0; i < both; i += 8) std::memcpy(hb + i, from + i, 8 * sizeof(Count));
  }
  hb[e.thread] = static_cast<Count>(e.index + 1);
  hb[stride_ + e.thread] = static_cast<Count>(e.index + 1);
}

EventId EventGraph::append(ThreadId thread, Kind kind, std::memory_order order, LocationId location,
                           const std::source_location& site) {
  const EventId id = size();
  Event& event = events_.emplace_back();
  std::vector<EventId>& own = threads_[static_cast<std::size_t>(thread)].events;
  event.kind = kind;
  event.order = order;
  event.thread = thread;
  event.index = static_cast<std::int32_t>(own.size());
  event.location = location;
  event.site = site;
  event.version = ++last_version;
  event.choices = static_cast<std::int32_t>(choices_.size());
  if (event.index > 0) event.release_fence = (*this)[own.back()].release_fence;
  own.push_back(id);
  if (kind == Kind::fence && releases(order)) event.release_fence = event.index + 1;
  if (order == std::memory_order_seq_cst && !is_read(kind)) {
    ++sc_events_;
    has_sc_fences_ |= kind == Kind::fence;
  }
  ensure_rows();
  if (!is_read(kind)) copy_base_rows(id);  // of a read, when it has its write
  return id;
}

EventId EventGraph::append_update(ThreadId thread, LocationId location, const Update& update,
                                  const std::source_location& site) {
  const EventId id = append(thread, Kind::rmw_read, update.success, location, site);
  (*this)[id].update = static_cast<std::int32_t>(updates_.size());
  updates_.push_back(update);
  return id;
}

void EventGraph::set_update_reads_from(EventId read, EventId write, bool spurious) {
  const Update& operation = update(read);
  const bool stores = !spurious && operation.succeeds_on(value_of(write));
  set_reads_from(read, write, stores ? operation.success : operation.failure);
  (*this)[read].spurious = spurious;
}

void EventGraph::pop() {
  const EventId id = size() - 1;
  Event& event = events_.back();
  if (is_read(event.kind)) {
    unset_reads_from(id);
    if (event.kind == Kind::rmw_read) updates_.pop_back();
  } else {
    if (is_write(event.kind)) unlink(id);
    if (event.kind == Kind::spawn)
      threads_[static_cast<std::size_t>(event.location)].spawn = no_event;
    if (event.order == std::memory_order_seq_cst) --sc_events_;
  }
  threads_[static_cast<std::size_t>(event.thread)].events.pop_back();
  choices_.resize(static_cast<std::size_t>(event.choices));
  events_.pop_back();
}

void EventGraph::list_reader(EventId read) {
  Event& event = (*this)[read];
  EventId& head =
      is_initial(event.rf) ? location(event.location).readers : (*this)[event.rf].readers;
  // Of one thread's readers only the first says anything: it happens before the others.
  for (EventId other = head; other != no_event; other = (*this)[other].next_reader) {
    if ((*this)[other].thread == event.thread) return;
  }
  event.next_reader = head;
  event.listed = true;
  head = read;
}

void EventGraph::set_reads_from(EventId read, EventId write, std::memory_order order) {
  unset_reads_from(read);
  Event& event = (*this)[read];
  event.rf = write;
  event.order = order;
  event.version = ++last_version;
  if (order == std::memory_order_seq_cst) ++sc_events_;
  list_reader(read);
  copy_base_rows(read);
  if (is_initial(write)) return;
  join_rows(mutable_row(read, Row::causal), row(write, Row::causal));
  if (acquires(order) && (*this)[write].gain) {
    join_rows(mutable_row(read, Row::happens_before), row(write, Row::gain));
  }
}

void EventGraph::unset_reads_from(EventId read) {
  Event& event = (*this)[read];
  if (event.rf == no_event) return;
  if (event.order == std::memory_order_seq_cst) --sc_events_;
  if (event.listed) {
    EventId* link =
        is_initial(event.rf) ? &location(event.location).readers : &(*this)[event.rf].readers;
    while (*link != read) link = &(*this)[*link].next_reader;
    *link = event.next_reader;
    event.listed = false;
  }
  event.rf = no_event;
}

void EventGraph::set_gain(EventId write, bool rc11_release_sequences) {
  Event& event = (*this)[write];
  Count* gain = mutable_row(write, Row::gain);
  const auto take = [&](const Count* from) {
    if (event.gain) {
      join_rows(gain, from);
    } else {
      std::copy_n(from, stride_, gain);
      event.gain = true;
    }
  };
  event.gain = false;
  if (releases(event.order)) {
    take(row(write, Row::happens_before));
    return;  // all that the rest could add is in its own past
  }
  if (event.release_fence > 0) {
    take(row(thread_event(event.thread, event.release_fence - 1), Row::happens_before));
  }
  if (!rc11_release_sequences) return;
  for (std::int32_t i = event.index - 1; i >= 0; --i) {
    const EventId earlier = thread_event(event.thread, i);
    const Event& other = (*this)[earlier];
    if (is_write(other.kind) && other.location == event.location && releases(other.order)) {
      take(row(earlier, Row::happens_before));
      return;
    }
  }
}

void EventGraph::continue_release_sequence(EventId update) {
  Event& event = (*this)[update];
  if (is_initial(event.rf) || !(*this)[event.rf].gain) return;
  if (event.gain) {
    join_rows(mutable_row(update, Row::gain), row(event.rf, Row::gain));
  } else {
    std::copy_n(row(event.rf, Row::gain), stride_, mutable_row(update, Row::gain));
    event.gain = true;
  }
}

void EventGraph::link_after(EventId write, EventId predecessor) {
  Event& event = (*this)[write];
  LocationState& state = location(event.location);
  EventId& forward = is_initial(predecessor) ? state.first : (*this)[predecessor].mo_next;
  event.mo_previous = predecessor;
  event.mo_next = forward;
  forward = write;
  // The newest event is later than all; who had a later write already keeps an older one.
  if (event.mo_next == no_event) {
    state.last = write;
    event.first_later = never;
    first_later_of(predecessor, event.location) = write;
  } else {
    Event& next = (*this)[event.mo_next];
    next.mo_previous = write;
    event.first_later = std::min(event.mo_next, next.first_later);
  }
}

void EventGraph::unlink(EventId write) {
  Event& event = (*this)[write];
  if (event.mo_previous == no_event) return;  // never placed
  LocationState& state = location(event.location);
  (is_initial(event.mo_previous) ? state.first : (*this)[event.mo_previous].mo_next) =
      event.mo_next;
  if (event.mo_next == no_event) {
    state.last = is_initial(event.mo_previous) ? no_event : event.mo_previous;
    first_later_of(event.mo_previous, event.location) = never;
  } else {
    (*this)[event.mo_next].mo_previous = event.mo_previous;
  }
  event.mo_previous = no_event;
  event.mo_next = no_event;
}

void EventGraph::acquire_by_fence(EventId fence) {
  const Event& event = (*this)[fence];
  Count* clock = mutable_row(fence, Row::happens_before);
  for (std::int32_t i = event.index - 1; i >= 0; --i) {
    const Event& earlier = (*this)[thread_event(event.thread, i)];
    if (earlier.kind == Kind::fence && acquires(earlier.order)) return;
    if (is_read(earlier.kind) && !is_initial(earlier.rf) && (*this)[earlier.rf].gain) {
      join_rows(clock, row(earlier.rf, Row::gain));
    }
  }
}

void EventGraph::set_spawned(ThreadId child, EventId spawn) {
  threads_[static_cast<std::size_t>(child)].spawn = spawn;
}

void EventGraph::set_joined(EventId join, ThreadId child) {
  const std::int32_t count = thread_size(child);
  const EventId last = count > 0 ? thread_event(child, count - 1) : spawn_of(child);
  Count* clock = mutable_row(join, Row::happens_before);
  Count* causal = mutable_row(join, Row::causal);
  join_rows(clock, row(last, Row::happens_before));
  join_rows(causal, row(last, Row::causal));
  // What the child did behind its last event is over too.
  clock[child] = static_cast<Count>(count + 1);
}

const Count* EventGraph::clock_before(ThreadId thread, std::int32_t index) const {
  const EventId previous = index > 0 ? thread_event(thread, index - 1) : spawn_of(thread);
  if (previous != no_event) return row(previous, Row::happens_before);
  static constexpr Count nothing[max_threads] = {};
  return nothing;
}

std::size_t EventGraph::memory() const {
  std::size_t bytes = events_.capacity() * sizeof(Event) + rows_.capacity() * sizeof(Count) +
                      locations_.capacity() * sizeof(LocationState) +
                      choices_.capacity() * sizeof(Choice);
  for (const Thread& thread : threads_) bytes += thread.events.capacity() * sizeof(EventId);
  return bytes;
}

}  // namespace pto2::model::engine
