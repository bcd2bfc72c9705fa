#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "models/checker/engine/execution.hpp"
#include "models/checker/engine/sequential_consistency.hpp"

namespace pto2::model::engine {

/// Samples executions: chooses a thread at every step, and what a read sees and where a write goes
/// among what coherence allows. Every sampled execution is consistent.
class Walk final : public Search {
 public:
  /// `expected_steps` is the length of an execution, over which PCT spreads its priority changes.
  Walk(const Options& options, std::uint64_t seed, std::uint64_t expected_steps);

  void place_read(EventGraph& graph, EventId read) override;
  void place_write(EventGraph& graph, EventId write) override;
  ThreadId pick(const std::vector<ThreadId>& ready) override;
  bool preempts() const override { return true; }

 private:
  /// Candidates that are looked at, from the newest on, and events up to which the SC axiom is
  /// checked for a stale choice; larger graphs with SC events get the newest write.
  static constexpr std::size_t most_candidates = 16;
  static constexpr std::int32_t most_events_for_sc = 256;
  static constexpr std::uint64_t one_spurious_failure_in = 4;

  std::uint64_t roll(std::uint64_t sides) { return random_() % sides; }
  bool may_be_stale(const EventGraph& graph) const {
    return graph.sc_events() < 2 || graph.size() <= most_events_for_sc;
  }
  ThreadId pick_by_priority(const std::vector<ThreadId>& ready);
  ThreadId pick_in_bursts(const std::vector<ThreadId>& ready);

  const Strategy strategy_;
  const bool spurious_failures_;
  std::minstd_rand random_;
  std::vector<EventId> candidates_;
  std::vector<std::int64_t> priorities_;  // by thread; 0 is not drawn yet
  std::vector<std::uint64_t> changes_;    // steps at which PCT lowers a priority
  std::uint64_t steps_ = 0;
  std::uint64_t burst_ = 0;
  ThreadId current_ = -1;
  SequentialConsistency sequential_consistency_;
};

}  // namespace pto2::model::engine
