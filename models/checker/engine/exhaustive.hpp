#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "models/checker/engine/event_graph.hpp"
#include "models/checker/engine/execution.hpp"
#include "models/checker/engine/sequential_consistency.hpp"

namespace pto2::model::engine {

/// Finds the reads that a new write may revisit. O(events).
class RevisitSweep {
 public:
  explicit RevisitSweep(bool spurious_failures) : spurious_failures_(spurious_failures) {}

  /// Pushes a choice for each: walking back from the newest event, outside of the write's causal
  /// past, up to the first event that was not added maximally.
  void operator()(EventGraph& graph, EventId write);

 private:
  bool maximally_added(const EventGraph& graph, EventId event);
  bool held_back_maximally(const EventGraph& graph, EventId read);
  bool newest_for_past(const EventGraph& graph, LocationId location, EventId target);
  void mark_newest(const EventGraph& graph, LocationId location);
  EventId oldest_revisit(const EventGraph& graph) const;

  const bool spurious_failures_;
  EventId writer_ = no_event;
  const Count* past_ = nullptr;
  // What has the number of the present sweep has been looked at in it.
  std::uint64_t sweep_ = 0;
  std::vector<std::uint64_t> newest_;          // writes that nothing in the past is later than
  std::vector<std::uint64_t> newest_initial_;  // the same for initial writes, by location
  std::vector<std::uint64_t> marked_;          // locations
};

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
  /// The graph that a run of such a branch went on in instead, or null.
  std::unique_ptr<EventGraph> take_held_back();
  /// Whether the last run asked to be repeated.
  bool take_again() { return std::exchange(again_, false); }
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
  EventGraph* hold_back(EventGraph& graph, EventId read) override;
  void add_conflicting_update(EventGraph& graph, EventId read) override;
  void run_again() override { again_ = true; }
  void offer_stale(EventGraph& graph, EventId read) override;

 private:
  void push_sources(EventGraph& graph, EventId read, EventId newest);
  bool apply(EventGraph& graph, const Choice& choice);
  bool apply_read(EventGraph& graph, EventId read, const Choice& choice);
  void revisit(const EventGraph& graph, EventId read, bool spurious);
  bool prepare_positions(EventGraph& child, EventId read, EventId write);
  std::unique_ptr<EventGraph> fresh();
  void drop_top();

  const bool rc11_release_sequences_;
  const bool spurious_failures_;
  std::vector<std::unique_ptr<EventGraph>> stack_;
  std::vector<std::unique_ptr<EventGraph>> spare_;
  std::vector<Count> clock_;
  SequentialConsistency sequential_consistency_;
  RevisitSweep sweep_revisits_;
  ThreadId first_ = -1;
  bool again_ = false;  // the top is to be run as it is
  std::uint32_t measured_ = 0;
};

}  // namespace pto2::model::engine
