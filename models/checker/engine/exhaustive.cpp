#include "models/checker/engine/exhaustive.hpp"

#include <utility>

#include "models/checker/engine/coherence.hpp"

namespace pto2::model::engine {

Exhaustive::Exhaustive(const Options& options)
    : rc11_release_sequences_(options.rc11_release_sequences),
      spurious_failures_(options.spurious_failures),
      sweep_revisits_(options.spurious_failures) {}

std::unique_ptr<EventGraph> Exhaustive::fresh() {
  if (spare_.empty()) return std::make_unique<EventGraph>();
  std::unique_ptr<EventGraph> graph = std::move(spare_.back());
  spare_.pop_back();
  return graph;
}

void Exhaustive::begin() {
  std::unique_ptr<EventGraph> graph = fresh();
  graph->clear();
  begin(std::move(graph));
}

void Exhaustive::begin(std::unique_ptr<EventGraph> graph) {
  stack_.push_back(std::move(graph));
  first_ = -1;
}

void Exhaustive::drop_top() {
  spare_.push_back(std::move(stack_.back()));
  stack_.pop_back();
}

std::size_t Exhaustive::memory() const {
  std::size_t bytes = 0;
  for (const auto& graph : stack_) bytes += graph->memory();
  for (const auto& graph : spare_) bytes += graph->memory();
  return bytes;
}

std::unique_ptr<EventGraph> Exhaustive::split() {
  for (const std::unique_ptr<EventGraph>& graph : stack_) {
    if (graph->choices().empty()) continue;
    auto part = std::make_unique<EventGraph>();
    part->take_oldest_choices(*graph);
    return part;
  }
  return nullptr;
}

std::unique_ptr<EventGraph> Exhaustive::take_held_back() {
  if (stack_.empty()) return nullptr;
  std::unique_ptr<EventGraph> graph = std::move(stack_.back());
  stack_.clear();
  return graph;
}

Exhaustive::Branch Exhaustive::branch(const EventGraph& from, EventId event, const Choice& choice) {
  auto graph = std::make_unique<EventGraph>(from);
  while (graph->size() - 1 > event) graph->pop();
  graph->choices().clear();
  for (EventId e = 0; e <= event; ++e) (*graph)[e].choices = 0;
  begin(std::move(graph));
  const bool runs = apply(*stack_.front(), choice);
  Branch branch{std::move(stack_.back()), first_, runs};
  stack_.clear();
  return branch;
}

/// Pushes a choice for every write that a new read may take its value from, but for `newest`.
void Exhaustive::push_sources(EventGraph& graph, EventId read, EventId newest) {
  const Event& event = graph[read];
  const Update* update = event.kind == Kind::rmw_read ? &graph.update(read) : nullptr;
  const bool may_fail = spurious_failures_ && update != nullptr;
  std::vector<Choice>& choices = graph.choices();
  for_each_readable(graph, event.location, graph.clock_before(event.thread, event.index),
                    [&](EventId write) {
                      if (!graph.admissible(event.thread, event.index, write)) return true;
                      if (write != newest) choices.push_back({Choice::Kind::read_from, write});
                      if (may_fail && update->may_fail_on(graph.value_of(write))) {
                        choices.push_back({Choice::Kind::fail_spuriously, write});
                      }
                      return true;
                    });
}

void Exhaustive::place_read(EventGraph& graph, EventId read) {
  const Event& event = graph[read];
  const EventId newest = graph.last_write(event.location);
  push_sources(graph, read, newest);
  if (event.kind == Kind::rmw_read) {
    graph.set_update_reads_from(read, newest, false);
  } else {
    graph.set_reads_from(read, newest, event.order);
  }
}

void Exhaustive::place_write(EventGraph& graph, EventId write) {
  const Event& event = graph[write];
  if (event.kind == Kind::write) {
    const EventId newest = graph.last_write(event.location);
    for_each_position(graph, event.location, graph.clock_before(event.thread, event.index),
                      [&](EventId predecessor) {
                        if (predecessor != newest) {
                          graph.choices().push_back({Choice::Kind::place_after, predecessor});
                        }
                        return true;
                      });
    graph.link_after(write, newest);
  }
  sweep_revisits_(graph, write);
}

/// A read whose newest write is not for it is all choices.
void Exhaustive::offer_stale(EventGraph& graph, EventId read) {
  push_sources(graph, read, no_event);
}

/// Goes on without a revisited read that leaves its predicate false. While it is there its thread
/// is blocked, and every graph that follows from this one by revisiting it anew follows as well
/// from adding it later ("Unblocking dynamic partial order reduction", CAV 2023, has the idea). The
/// writer may be for one that has failed on it spuriously: nothing revisits that.
EventGraph* Exhaustive::hold_back(EventGraph& graph, EventId read) {
  if (read != graph.revisited() || graph.size() - 1 != graph.base()) return nullptr;
  if (graph[read].spurious) return nullptr;
  std::unique_ptr<EventGraph> child = fresh();
  child->assign_holding_back(graph);
  stack_.push_back(std::move(child));
  return stack_.back().get();
}

bool Exhaustive::retry(EventGraph& graph, EventId read) {
  std::vector<Choice>& choices = graph.choices();
  while (choices.size() > static_cast<std::size_t>(graph[read].choices)) {
    const Choice choice = choices.back();
    if (choice.kind != Choice::Kind::read_from) return false;
    if (graph[read].kind == Kind::rmw_read && graph.update_of(choice.target) != no_event &&
        graph.update(read).succeeds_on(graph.value_of(choice.target))) {
      return false;
    }
    choices.pop_back();
    if (apply_read(graph, read, choice)) return true;
  }
  return false;
}

/// An update of a write that has been updated already: not a graph to extend, but one whose new
/// write may revisit the other update.
void Exhaustive::add_conflicting_update(EventGraph& graph, EventId read) {
  const Event event = graph[read];
  const Update update = graph.update(read);
  const EventId write =
      graph.append(event.thread, Kind::rmw_write, update.success, event.location, event.site);
  graph[write].rf = event.rf;
  graph[write].value = update.result(graph.value_of(event.rf));
  graph.set_gain(write, rc11_release_sequences_);
  graph.continue_release_sequence(write);
  graph.link_after(write, event.rf);
  sweep_revisits_(graph, write);
}

bool Exhaustive::apply_read(EventGraph& graph, EventId read, const Choice& choice) {
  first_ = -1;
  if (graph[read].kind == Kind::rmw_read) {
    const bool spurious = choice.kind == Choice::Kind::fail_spuriously;
    graph.set_update_reads_from(read, choice.target, spurious);
    if (graph.stores(read)) {
      if (graph.update_of(choice.target) != no_event && (!graph[read].tentative || choice.holds)) {
        add_conflicting_update(graph, read);
        return false;
      }
      first_ = graph[read].thread;
    }
  } else {
    graph.set_reads_from(read, choice.target, graph[read].order);
  }
  return choice.target == graph.last_write(graph[read].location) ||
         sequential_consistency_.holds_with(graph, {read});
}

bool Exhaustive::apply(EventGraph& graph, const Choice& choice) {
  const EventId newest = graph.size() - 1;
  switch (choice.kind) {
    case Choice::Kind::read_from:
    case Choice::Kind::fail_spuriously:
      return apply_read(graph, newest, choice);
    case Choice::Kind::place_after: {
      graph.unlink(newest);
      graph.link_after(newest, choice.target);
      const EventId revisited = newest == graph.base() ? graph.revisited() : no_event;
      first_ = revisited != no_event && graph.stores(revisited) ? graph[revisited].thread : -1;
      if (revisited == no_event) return sequential_consistency_.holds_with(graph, {newest});
      // The revisit was not checked before, nor was the read of an update that revisits another;
      // but what is before or after that read in psc is so for its write.
      return sequential_consistency_.holds_with(graph, {newest, revisited});
    }
    case Choice::Kind::revisit:
    case Choice::Kind::revisit_spuriously:
      revisit(graph, choice.target, choice.kind == Choice::Kind::revisit_spuriously);
      return false;
  }
  return false;
}

bool Exhaustive::advance() {
  if (take_again()) {
    first_ = -1;
    return true;
  }
  while (!stack_.empty()) {
    EventGraph& graph = *stack_.back();
    if (graph.size() == graph.base()) {
      drop_top();
      continue;
    }
    std::vector<Choice>& choices = graph.choices();
    if (choices.size() > static_cast<std::size_t>(graph[graph.size() - 1].choices)) {
      const Choice choice = choices.back();
      choices.pop_back();
      if (apply(graph, choice)) return true;
    } else {
      graph.pop();
    }
  }
  return false;
}

}  // namespace pto2::model::engine
