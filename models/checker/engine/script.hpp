#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "models/checker/engine/execution.hpp"
#include "models/checker/engine/sequential_consistency.hpp"

namespace pto2::model::engine {

/// One step of an execution: who makes it, how far from the newest write a read's source or a
/// write's predecessor is, and whether a compare-exchange fails spuriously.
struct Step {
  ThreadId thread = 0;
  std::int32_t rank = 0;
  bool spurious = false;

  friend bool operator==(const Step&, const Step&) = default;
};

/// An execution as the steps that build its graph by forward additions only. Any consistent graph
/// has such a script: every part of it that is closed under its causal past is consistent too.
struct Script {
  /// A thread that runs without a step of its own: to its end, to where it waits or would make one,
  /// or into the violation.
  struct SilentRun {
    std::size_t before;  ///< which step
    ThreadId thread;
  };

  /// Where a thread comes from.
  struct Start {
    ThreadId thread;
    Origin origin;

    bool by_main_in_order() const { return origin.creator == 0 && origin.ordinal == thread - 1; }
  };

  std::vector<Step> steps;
  std::vector<SilentRun> silent_runs;
  /// Of all its threads, since their numbers depend on what the search has met before. None if main
  /// has started them all, and they are numbered in this order.
  std::vector<Start> starts;
  /// Of all this, and of the kinds and orders of the steps.
  std::uint64_t fingerprint = 0;

  /// Gives it its fingerprint. `order`: the event of each step.
  void seal(const EventGraph& graph, const std::vector<EventId>& order);
  /// The numbers that its threads have, for the execution that follows it.
  std::shared_ptr<Ids> ids() const;
  /// The numbers that it has, and main's.
  std::set<ThreadId> threads() const;
  std::string to_token() const;
  /// Throws std::invalid_argument with a reason when the text is not a token of this version.
  static Script from_token(std::string_view token);
};

/// A part of a graph that is closed under its causal past.
struct Part {
  std::vector<std::int32_t> sizes;  ///< how many events of each thread
  ThreadId last = -1;               ///< whose last step is the last of all, if that can be
};

Part everything(const EventGraph& graph, const FailedRun& failure);
/// What the failed thread, and whoever it collided with, depend on.
Part past_of(const EventGraph& graph, const FailedRun& failure);

/// The events of a part in an order that respects program order and reads-from, with the fewest
/// context switches (few, in a graph where very many orders would have to be compared).
std::vector<EventId> linearise(const EventGraph& graph, const Part& part);
/// Without a fingerprint, and without silent runs.
Script to_script(const EventGraph& graph, const std::vector<EventId>& order);

/// Follows a script; behind its end everybody reads the newest values.
class Scripted final : public Search {
 public:
  explicit Scripted(Script script) : script_(std::move(script)) {}

  void place_read(EventGraph& graph, EventId read) override;
  void place_write(EventGraph& graph, EventId write) override;
  ThreadId pick(const std::vector<ThreadId>& ready) override;
  bool preempts() const override { return true; }
  ThreadId maker_of(std::int32_t step) const override {
    const auto index = static_cast<std::size_t>(step);
    return index < script_.steps.size() ? script_.steps[index].thread : -1;
  }
  bool stops(ThreadId thread) const override { return thread == silent_; }
  bool goes_on(const EventGraph& graph, ThreadId thread) const override;
  bool keeps_failed_predicates() const override { return true; }
  void add_conflicting_update(EventGraph& graph, EventId read) override;
  /// Why the script does not fit the program; empty when it does.
  std::string mismatch(const EventGraph& graph) const;

 private:
  Step step(const EventGraph& graph, ThreadId thread);
  void forbid(EventId event, const char* what);

  Script script_;
  std::size_t next_silent_ = 0;
  ThreadId silent_ = -1;  ///< who makes a silent run that is not the last
  std::string mismatch_;
  SequentialConsistency sequential_consistency_;
};

}  // namespace pto2::model::engine
