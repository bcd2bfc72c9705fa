#include "models/checker/engine/sequential_consistency.hpp"

#include <algorithm>
#include <bit>

namespace pto2::model::engine {

namespace {
bool is_sc(const Event& event) {
  return event.order == std::memory_order_seq_cst;
}
}  // namespace

template <class Visit>
void SequentialConsistency::for_each(const Word* s, Visit&& visit) const {
  for (std::size_t i = 0; i < words_; ++i) {
    for (Word word = s[i]; word != 0; word &= word - 1) {
      visit(static_cast<EventId>(i * 64) + std::countr_zero(word));
    }
  }
}

template <class Visit>
void SequentialConsistency::for_each_first(const Word* s, Visit&& visit) {
  // The ids of a thread's events ascend.
  seen_.assign(static_cast<std::size_t>(graph_->thread_count()), 0);
  for_each(s, [&](EventId event) {
    std::uint8_t& seen = seen_[static_cast<std::size_t>((*graph_)[event].thread)];
    if (seen != 0) return;
    seen = 1;
    visit(event);
  });
}

EventId SequentialConsistency::next_in_thread(EventId event) const {
  const Event& e = (*graph_)[event];
  const std::int32_t next = e.index + 1;
  return next < graph_->thread_size(e.thread) ? graph_->thread_event(e.thread, next) : no_event;
}

void SequentialConsistency::build(const EventGraph& graph) {
  graph_ = &graph;
  const std::size_t n = static_cast<std::size_t>(graph.size());
  words_ = (n + 63) / 64;
  for (Family* family : {&from_, &hb_, &later_, &later_from_, &scb_, &scb_from_, &next_}) {
    family->assign(n * words_, 0);
  }
  at_location_.assign(static_cast<std::size_t>(graph.location_count()) * words_, 0);
  clear(sc_);
  clear(fences_);
  has_fences_ = false;
  spawns_.clear();
  joins_.clear();
  colour_.assign(n, 0);
  for (EventId e = 0; e < graph.size(); ++e) {
    const Event& event = graph[e];
    if (is_sc(event)) insert(sc_.data(), e);
    if (is_sc(event) && event.kind == Kind::fence) {
      insert(fences_.data(), e);
      has_fences_ = true;
    }
    if (event.kind == Kind::spawn) spawns_.push_back(e);
    if (event.kind == Kind::join) joins_.push_back(e);
    if (accesses(e)) insert(set(at_location_, event.location), e);
  }
  build_program_order();
  build_happens_before();
  build_coherence_order();
  build_scb();
}

void SequentialConsistency::build_program_order() {
  elsewhere_.assign(static_cast<std::size_t>(graph_->size()), no_event);
  for (EventId e = graph_->size() - 1; e >= 0; --e) {
    insert(set(from_, e), e);
    const EventId next = next_in_thread(e);
    if (next == no_event) continue;
    unite(set(from_, e), set(from_, next));
    elsewhere_[static_cast<std::size_t>(e)] =
        same_location(e, next) ? elsewhere_[static_cast<std::size_t>(next)] : next;
  }
}

void SequentialConsistency::build_happens_before() {
  for (ThreadId a = 0; a < graph_->thread_count(); ++a) {
    for (ThreadId b = 0; b < graph_->thread_count(); ++b) {
      // The first event of b behind an event of a moves on with that event.
      std::int32_t first = 0;
      for (std::int32_t i = 0; i < graph_->thread_size(a); ++i) {
        const EventId event = graph_->thread_event(a, i);
        if (a == b) {
          first = i + 1;
        } else {
          while (first < graph_->thread_size(b) &&
                 !graph_->happens_before(event, graph_->thread_event(b, first))) {
            ++first;
          }
        }
        if (first == graph_->thread_size(b)) break;
        unite(set(hb_, event), set(from_, graph_->thread_event(b, first)));
      }
    }
  }
}

void SequentialConsistency::build_coherence_order() {
  const auto put_before = [&](EventId event, EventId write) {
    unite(set(later_, event), set(later_, write));
    insert(set(later_, event), write);
  };
  for (LocationId l = 0; l < graph_->location_count(); ++l) {
    EventId next = no_event;
    for (EventId w = graph_->last_write(l); !is_initial(w); w = graph_->mo_previous(w)) {
      if (next != no_event) put_before(w, next);
      next = w;
    }
  }
  for (EventId r = 0; r < graph_->size(); ++r) {
    const Event& event = (*graph_)[r];
    if (!is_read(event.kind) || event.rf == no_event) continue;
    const EventId overwriting = graph_->mo_next(event.rf);
    if (overwriting != no_event) put_before(r, overwriting);
  }
  if (!has_fences_) return;
  for (EventId e = graph_->size() - 1; e >= 0; --e) {
    unite(set(later_from_, e), set(later_, e));
    const EventId next = next_in_thread(e);
    if (next != no_event) unite(set(later_from_, e), set(later_from_, next));
  }
}

/// Only fences lead to the successors of events that are not SC.
void SequentialConsistency::build_scb() {
  for (EventId e = graph_->size() - 1; e >= 0; --e) {
    if (!has_fences_ && !contains(sc_.data(), e)) continue;
    const Set scb = set(scb_, e);
    const EventId next = next_in_thread(e);
    if (next != no_event) unite(scb, set(from_, next));
    unite(scb, set(later_, e));
    if (accesses(e)) {
      const Word* const here = set(at_location_, (*graph_)[e].location);
      for (std::size_t i = 0; i < words_; ++i) scb[i] |= set(hb_, e)[i] & here[i];
    }
    add_across_locations(e, scb);
    if (!has_fences_) continue;
    unite(set(scb_from_, e), scb);
    if (next != no_event) unite(set(scb_from_, e), set(scb_from_, next));
  }
}

/// sb to another location, then hb, then sb to another location again. A thread's start and end
/// count as steps of it, although they are no events.
void SequentialConsistency::add_across_locations(EventId event, Set into) {
  clear(middle_);
  const EventId next = elsewhere_[static_cast<std::size_t>(event)];
  if (next != no_event) {
    unite(middle_.data(), set(hb_, next));
    if ((*graph_)[next].kind == Kind::spawn) insert(middle_.data(), next);
  }
  for (const EventId join : joins_) {
    if ((*graph_)[join].location == (*graph_)[event].thread && contains(set(hb_, event), join)) {
      unite(middle_.data(), set(from_, join));
      unite(middle_.data(), set(hb_, join));
    }
  }
  for_each_first(middle_.data(), [&](EventId first) {
    const EventId other = elsewhere_[static_cast<std::size_t>(first)];
    if (other != no_event) unite(into, set(from_, other));
  });
  for (const EventId spawn : spawns_) {
    const ThreadId child = (*graph_)[spawn].location;
    if (contains(middle_.data(), spawn) && graph_->thread_size(child) > 0) {
      unite(into, set(from_, graph_->thread_event(child, 0)));
    }
  }
}

/// Adds the eco successors of a set that is closed under program order.
void SequentialConsistency::add_external(const Word* from, Set into) {
  clear(middle_);
  for_each_first(from, [&](EventId first) { unite(middle_.data(), set(later_from_, first)); });
  unite(into, middle_.data());
  unite(middle_.data(), from);
  for (EventId r = 0; r < graph_->size(); ++r) {
    const Event& event = (*graph_)[r];
    if (is_read(event.kind) && !is_initial(event.rf) && contains(middle_.data(), event.rf)) {
      insert(into, r);
    }
  }
}

/// Adds what happens after any event of a set: after the first of each thread.
void SequentialConsistency::unite_hb(const Word* from, Set into) {
  for_each_first(from, [&](EventId first) { unite(into, set(hb_, first)); });
}

void SequentialConsistency::successors(EventId event, Set into) {
  const bool fence = (*graph_)[event].kind == Kind::fence;
  clear(reached_);
  clear(behind_);
  if (fence) {
    // Behind hb and hb; eco only a fence counts, and only across one more hb.
    const Word* const sources = set(hb_, event);
    unite(reached_.data(), sources);
    add_external(sources, reached_.data());
    unite_hb(reached_.data(), behind_.data());
    unite(behind_.data(), sources);
    clear(reached_);
    for_each_first(sources, [&](EventId first) { unite(reached_.data(), set(scb_from_, first)); });
  }
  unite(reached_.data(), set(scb_, event));
  unite_hb(reached_.data(), behind_.data());
  for (std::size_t i = 0; i < words_; ++i) {
    into[i] = (reached_[i] & sc_[i]) | (behind_[i] & fences_[i]);
  }
}

bool SequentialConsistency::cyclic_from(EventId event) {
  std::uint8_t& colour = colour_[static_cast<std::size_t>(event)];
  colour = 1;
  Set next = set(next_, event);
  successors(event, next);
  for (std::size_t i = 0; i < words_; ++i) {
    for (Word word = next[i]; word != 0; word &= word - 1) {
      const EventId other = static_cast<EventId>(i * 64) + std::countr_zero(word);
      const std::uint8_t seen = colour_[static_cast<std::size_t>(other)];
      if (seen == 1 || (seen == 0 && cyclic_from(other))) return true;
    }
  }
  colour = 2;
  return false;
}

bool SequentialConsistency::holds(const EventGraph& graph) {
  if (graph.sc_events() < 2) return true;
  build(graph);
  for (EventId e = 0; e < graph.size(); ++e) {
    if (contains(sc_.data(), e) && colour_[static_cast<std::size_t>(e)] == 0 && cyclic_from(e)) {
      return false;
    }
  }
  return true;
}

}  // namespace pto2::model::engine
