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

void SequentialConsistency::build(const EventGraph& graph) {
  graph_ = &graph;
  const std::size_t n = static_cast<std::size_t>(graph.size());
  words_ = (n + 63) / 64;
  for (auto* family : {&hb_, &sb_, &readers_, &later_, &scb_, &location_, &next_}) {
    family->assign(n * words_, 0);
  }
  sc_.assign(words_, 0);
  fences_.assign(words_, 0);
  scb_known_.assign(n, 0);
  colour_.assign(n, 0);
  for (EventId b = 0; b < graph.size(); ++b) {
    const Event& event = graph[b];
    if (is_sc(event)) {
      insert(sc_.data(), b);
      if (event.kind == Kind::fence) insert(fences_.data(), b);
    }
    const Count* clock = graph.row(b, EventGraph::Row::happens_before);
    for (EventId a = 0; a < graph.size(); ++a) {
      if (a != b && graph.covers(clock, a)) insert(set(hb_, a), b);
      if (graph[a].thread == event.thread && graph[a].index < event.index) insert(set(sb_, a), b);
    }
    if (is_read(event.kind) && !is_initial(event.rf)) insert(set(readers_, event.rf), b);
  }
  build_coherence_order(graph);
}

void SequentialConsistency::build_coherence_order(const EventGraph& graph) {
  for (LocationId l = 0; l < graph.location_count(); ++l) {
    EventId next = no_event;
    for (EventId w = graph.location(l).last; w != no_event && !is_initial(w);
         w = graph.mo_previous(w)) {
      if (next != no_event) {
        unite(set(later_, w), set(later_, next));
        insert(set(later_, w), next);
      }
      next = w;
    }
  }
  for (EventId r = 0; r < graph.size(); ++r) {
    const Event& event = graph[r];
    if (!is_read(event.kind) || event.rf == no_event) continue;
    const EventId overwriting = graph.mo_next(event.rf);
    if (overwriting == no_event) continue;
    unite(set(later_, r), set(later_, overwriting));
    insert(set(later_, r), overwriting);
  }
  for (EventId a = 0; a < graph.size(); ++a) {
    if (graph[a].location < 0 || !(is_read(graph[a].kind) || is_write(graph[a].kind))) continue;
    for (EventId b = 0; b < graph.size(); ++b) {
      if ((is_read(graph[b].kind) || is_write(graph[b].kind)) &&
          graph[b].location == graph[a].location) {
        insert(set(location_, a), b);
      }
    }
  }
}

const SequentialConsistency::Word* SequentialConsistency::before_sc(EventId event) {
  Set result = set(scb_, event);
  if (scb_known_[static_cast<std::size_t>(event)]) return result;
  scb_known_[static_cast<std::size_t>(event)] = 1;
  unite(result, set(sb_, event));
  unite(result, set(later_, event));
  for (std::size_t i = 0; i < words_; ++i) {
    result[i] |= set(hb_, event)[i] & set(location_, event)[i];
  }
  // sb to another location, then hb, then sb to another location again. A thread's start and end
  // count as steps of it, although they are no events.
  std::vector<Word>& middle = scratch_;
  middle.assign(words_, 0);
  for_each(set(sb_, event), [&](EventId c) {
    if (contains(set(location_, event), c)) return;
    unite(middle.data(), set(hb_, c));
    if ((*graph_)[c].kind == Kind::spawn) insert(middle.data(), c);
  });
  for_each(set(hb_, event), [&](EventId j) {
    const Event& join = (*graph_)[j];
    if (join.kind != Kind::join || join.location != (*graph_)[event].thread) return;
    insert(middle.data(), j);
    unite(middle.data(), set(hb_, j));
  });
  for_each(middle.data(), [&](EventId d) {
    for (std::size_t i = 0; i < words_; ++i) {
      result[i] |= set(sb_, d)[i] & ~set(location_, d)[i];
    }
    if ((*graph_)[d].kind != Kind::spawn) return;
    const ThreadId child = (*graph_)[d].location;
    for (std::int32_t i = 0; i < graph_->thread_size(child); ++i) {
      insert(result, graph_->thread_event(child, i));
    }
  });
  return result;
}

/// Adds the eco successors of an event.
void SequentialConsistency::add_external(EventId event, Set into) const {
  unite(into, set(readers_, event));
  unite(into, set(later_, event));
  for_each(set(later_, event), [&](EventId w) { unite(into, set(readers_, w)); });
}

void SequentialConsistency::successors(EventId event, Set into) {
  const bool fence = (*graph_)[event].kind == Kind::fence;
  std::vector<Word> sources(words_, 0);
  if (fence) unite(sources.data(), set(hb_, event));
  std::vector<Word> reached(words_, 0);
  if (fence) {
    for_each(sources.data(), [&](EventId a) { add_external(a, reached.data()); });
    unite(reached.data(), sources.data());
  }
  // Behind hb and hb; eco only a fence counts, and only across one more hb.
  std::vector<Word> behind(words_, 0);
  for_each(reached.data(), [&](EventId b) { unite(behind.data(), set(hb_, b)); });
  unite(behind.data(), sources.data());
  insert(sources.data(), event);
  std::fill(reached.begin(), reached.end(), 0);
  for_each(sources.data(), [&](EventId a) { unite(reached.data(), before_sc(a)); });
  for_each(reached.data(), [&](EventId b) { unite(behind.data(), set(hb_, b)); });
  for (std::size_t i = 0; i < words_; ++i) {
    into[i] = (reached[i] & sc_[i]) | (behind[i] & fences_[i]);
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
