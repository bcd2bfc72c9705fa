#include "models/checker/engine/sequential_consistency.hpp"

#include <algorithm>

namespace pto2::model::engine {

bool SequentialConsistency::holds(const EventGraph& graph) {
  if (graph.sc_events() < 2) return true;
  build(graph);
  for (EventId e = 0; e < graph.size(); ++e) {
    if (at(e).order == std::memory_order_seq_cst && cyclic_from(e)) return false;
  }
  return true;
}

bool SequentialConsistency::holds_with(const EventGraph& graph,
                                       std::initializer_list<EventId> accesses) {
  if (graph.may_have_sc_fences()) return holds(graph);
  const auto is_passed = [&](EventId e) { return precedes_in_psc(graph, e); };
  if (std::none_of(accesses.begin(), accesses.end(), is_passed)) return true;
  build(graph);
  return std::none_of(accesses.begin(), accesses.end(),
                      [&](EventId e) { return is_passed(e) && cyclic_from(e); });
}

bool SequentialConsistency::precedes_in_psc(const EventGraph& graph, EventId access) {
  if (graph[access].order != std::memory_order_seq_cst) return false;
  const EventId write = is_read(graph[access].kind) ? graph[access].rf : access;
  for (EventId w = graph.mo_next(write); w != no_event; w = graph.mo_next(w)) {
    if (graph[w].order == std::memory_order_seq_cst) return true;
  }
  return false;
}

void SequentialConsistency::build(const EventGraph& graph) {
  graph_ = &graph;
  const auto events = static_cast<std::size_t>(graph.size());
  const auto locations = static_cast<std::size_t>(graph.location_count());
  has_fences_ = false;
  cyclic_ = false;
  here_.assign(events, no_event);
  elsewhere_.assign(events, no_event);
  latest_.assign(locations, no_event);
  readers_.assign(events + locations, no_event);
  next_reader_.assign(events, no_event);
  colour_.assign(events * layers, Colour::unseen);
  for (ThreadId thread = 0; thread < graph.thread_count(); ++thread) {
    for (std::int32_t i = 0; i < graph.thread_size(thread); ++i) {
      const EventId e = graph.thread_event(thread, i);
      const EventId previous = previous_in_thread(e);
      if (previous != no_event) {
        const bool same = same_location(e, previous);
        elsewhere_[static_cast<std::size_t>(e)] =
            same ? elsewhere_[static_cast<std::size_t>(previous)] : previous;
      }
      if (is_sc_fence(e)) has_fences_ = true;
      if (!accesses(e)) continue;
      EventId& latest = latest_[static_cast<std::size_t>(at(e).location)];
      if (latest != no_event && at(latest).thread == thread) {
        here_[static_cast<std::size_t>(e)] = latest;
      }
      latest = e;
      if (!is_read(at(e).kind) || at(e).rf == no_event) continue;
      EventId& head = first_reader(at(e).rf);
      next_reader_[static_cast<std::size_t>(e)] = head;
      head = e;
    }
  }
}

bool SequentialConsistency::cyclic_from(EventId event) {
  visit(Layer::sc, event);
  while (!path_.empty() && !cyclic_) {
    const Node top = path_.back();
    path_.pop_back();
    if (top < 0) {
      colour_[static_cast<std::size_t>(~top)] = Colour::done;
      continue;
    }
    Colour& colour = colour_[static_cast<std::size_t>(top)];
    if (colour == Colour::done) continue;
    colour = Colour::on_path;
    path_.push_back(~top);
    step(static_cast<Layer>(top / graph_->size()), top % graph_->size());
  }
  path_.clear();
  return cyclic_;
}

void SequentialConsistency::visit(Layer layer, EventId event) {
  const Node next = node(layer, event);
  const Colour colour = colour_[static_cast<std::size_t>(next)];
  if (colour == Colour::on_path) cyclic_ = true;
  if (colour == Colour::unseen) path_.push_back(next);
}

/// An scb edge starts at an SC event, or at what happens after an SC fence.
void SequentialConsistency::visit_source(EventId event) {
  if (at(event).order == std::memory_order_seq_cst) visit(Layer::sc, event);
  if (has_fences_) visit(Layer::from_fence, event);
}

void SequentialConsistency::step(Layer layer, EventId event) {
  switch (layer) {
    case Layer::sc:
      visit(Layer::target, event);
      if (is_sc_fence(event)) visit(Layer::to_fence, event);
      return;
    case Layer::target:
      return step_to_scb(event);
    case Layer::sb:
      visit_source(event);
      if (at(event).index > 0) visit(Layer::sb, previous_in_thread(event));
      return;
    case Layer::here:
      visit_source(event);
      return step_here(event);
    case Layer::coherence:
      return for_each_coherence_predecessor(event, [&](EventId source) {
        visit_source(source);
        if (is_write(at(source).kind)) visit(Layer::coherence, source);
      });
    case Layer::across:
      if (elsewhere_[static_cast<std::size_t>(event)] != no_event) {
        visit(Layer::sb, elsewhere_[static_cast<std::size_t>(event)]);
      }
      return step_across(event);
    case Layer::to_fence:
      return step_to_fence(event);
    case Layer::from_fence:
      return step_through_hb(Layer::from_fence, event);
    case Layer::eco_to_fence:
      return for_each_coherence_predecessor(event, [&](EventId earlier) {
        visit(Layer::from_fence, earlier);
        if (is_write(at(earlier).kind)) visit(Layer::eco_to_fence, earlier);
      });
  }
}

void SequentialConsistency::step_to_scb(EventId target) {
  const Event& event = at(target);
  if (event.index > 0) visit(Layer::sb, previous_in_thread(target));
  if (accesses(target)) step_here(target);
  if (is_write(event.kind)) visit(Layer::coherence, target);
  // A thread's start and end count as steps of it at no location, although they are no events.
  const EventId middle = elsewhere_[static_cast<std::size_t>(target)];
  if (middle != no_event) step_across(middle);
  const EventId spawn = graph_->spawn_of(event.thread);
  if (spawn != no_event) visit(Layer::across, spawn);
}

/// To what happens before an access at its location: the last of each thread, unless the thread's
/// access before this one leads there.
void SequentialConsistency::step_here(EventId event) {
  const EventId own = here_[static_cast<std::size_t>(event)];
  if (own != no_event) visit(Layer::here, own);
  const Count* const clock = graph_->row(event, EventGraph::Row::happens_before);
  const Count* const known =
      own == no_event ? nullptr : graph_->row(own, EventGraph::Row::happens_before);
  for (ThreadId thread = 0; thread < graph_->thread_count(); ++thread) {
    if (thread == at(event).thread) continue;
    const std::int32_t least = known == nullptr ? 0 : known[thread];
    const std::int32_t count = std::min<std::int32_t>(clock[thread], graph_->thread_size(thread));
    for (std::int32_t i = count - 1; i >= least; --i) {
      const EventId earlier = graph_->thread_event(thread, i);
      if (!same_location(earlier, event)) continue;
      visit(Layer::here, earlier);
      break;
    }
  }
}

/// From the target's side of hb, between two locations that differ, to the other.
void SequentialConsistency::step_across(EventId event) {
  if (at(event).kind == Kind::join) {
    const ThreadId child = at(event).location;
    const std::int32_t count = graph_->thread_size(child);
    if (count > 0) visit(Layer::sb, graph_->thread_event(child, count - 1));
  }
  for_each_hb_predecessor(event, [&](EventId earlier) { visit(Layer::across, earlier); });
}

/// From a fence, or what happens before it, to the target of scb or eco before it.
void SequentialConsistency::step_to_fence(EventId event) {
  visit(Layer::target, event);
  if (is_read(at(event).kind) && at(event).rf != no_event && !is_initial(at(event).rf)) {
    visit(Layer::from_fence, at(event).rf);
    visit(Layer::eco_to_fence, at(event).rf);
  }
  step_through_hb(Layer::to_fence, event);
}

void SequentialConsistency::step_through_hb(Layer layer, EventId event) {
  for_each_hb_predecessor(event, [&](EventId earlier) {
    if (is_sc_fence(earlier)) visit(Layer::sc, earlier);
    visit(layer, earlier);
  });
}

/// Events through which all that happens before `event` is reached.
template <class Visit>
void SequentialConsistency::for_each_hb_predecessor(EventId event, Visit&& visit) const {
  const ThreadId own = at(event).thread;
  const EventId previous = at(event).index > 0 ? previous_in_thread(event) : graph_->spawn_of(own);
  if (previous != no_event) visit(previous);
  const Count* const known = graph_->clock_before(own, at(event).index);
  const Count* const clock = graph_->row(event, EventGraph::Row::happens_before);
  for (ThreadId thread = 0; thread < graph_->thread_count(); ++thread) {
    const std::int32_t count = std::min<std::int32_t>(clock[thread], graph_->thread_size(thread));
    if (thread != own && count > known[thread]) visit(graph_->thread_event(thread, count - 1));
  }
}

/// The write before this one in modification order, unless it is initial, and all its readers.
template <class Visit>
void SequentialConsistency::for_each_coherence_predecessor(EventId write, Visit&& visit) {
  const EventId earlier = graph_->mo_previous(write);
  if (earlier == no_event) return;  // it has no position yet
  if (!is_initial(earlier)) visit(earlier);
  for (EventId r = first_reader(earlier); r != no_event;
       r = next_reader_[static_cast<std::size_t>(r)]) {
    visit(r);
  }
}

}  // namespace pto2::model::engine
