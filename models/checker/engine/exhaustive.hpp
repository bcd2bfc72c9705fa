#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "models/checker/engine/event_graph.hpp"
#include "models/checker/engine/execution.hpp"
#include "models/checker/engine/sequential_consistency.hpp"

namespace pto2::model::engine {

/// Optimal search of all consistent execution graphs (Kokologiannakis et al., POPL 2022). Forward
/// choices are made in place and undone; a backward revisit, where an earlier read takes its value
/// from a new write, works on a copy of the events that stay. Memory is the depth of nested
/// revisits times the size of a graph.
class Exhaustive final : public Search {
 public:
  explicit Exhaustive(const Options& options);

  /// Starts with the empty graph.
  void begin();
  /// Starts with a part of somebody else's search.
  void begin(std::unique_ptr<EventGraph> graph);
  /// Cuts off the choices of the oldest event that has some, as the start of another search; null
  /// when no event has any. The other search begins with `advance`.
  std::unique_ptr<EventGraph> split();
  /// One alternative of a graph, apart from this search: `runs` says whether the graph is to be
  /// extended, beginning with `first`, or only offers further choices.
  struct Branch {
    std::unique_ptr<EventGraph> graph;
    ThreadId first;
    bool runs;
  };
  /// What follows from taking a choice of `event`. This search itself must not have begun.
  Branch branch(const EventGraph& from, EventId event, const Choice& choice);
  /// Goes to the next graph to extend; false when nothing is left.
  bool advance();

  EventGraph& graph() { return *stack_.back(); }
  /// The thread in the middle of a read-modify-write, or -1.
  ThreadId first() const { return first_; }
  std::size_t memory() const;
  /// The same, but only measured now and then; 0 otherwise.
  std::size_t memory_if_due() { return ++measured_ % 256 == 0 ? memory() : 0; }

  void place_read(EventGraph& graph, EventId read) override;
  void place_write(EventGraph& graph, EventId write) override;
  ThreadId pick(const std::vector<ThreadId>& ready) override { return ready.front(); }
  bool retry(EventGraph& graph, EventId read) override;

 private:
  bool apply(EventGraph& graph, const Choice& choice);
  bool apply_read(EventGraph& graph, EventId read, const Choice& choice);
  void add_conflicting_update(EventGraph& graph, EventId read);
  void revisit(const EventGraph& graph, EventId read);
  bool prepare_places(EventGraph& child, EventId read, EventId write);
  std::unique_ptr<EventGraph> fresh();
  void drop_top();

  const bool cxx17_release_sequences_;
  const bool spurious_failures_;
  std::vector<std::unique_ptr<EventGraph>> stack_;
  std::vector<std::unique_ptr<EventGraph>> spare_;
  std::vector<Count> clock_;
  SequentialConsistency sequential_consistency_;
  ThreadId first_ = -1;
  std::uint32_t measured_ = 0;
};

/// Pushes a choice for every read that the newest write may revisit: walking back from the newest
/// event, outside of the write's causal past, up to the first event that was not added maximally.
void sweep_revisits(EventGraph& graph, EventId write);

}  // namespace pto2::model::engine
