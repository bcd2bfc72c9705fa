/// What a run has of a graph that it is given: records it, replays it, or has left it.
///
/// Used by one thread, the orchestrator; read after the run.
#pragma once

#include <cstdint>
#include <optional>

#include "runtime/orchestrator/graph_replay.hpp"

namespace pto2 {

class GraphRun {
 public:
  /// A run begins on a device of `config`, given `arrays`, with tensors from `first_generation` on.
  /// Null: it has no graph.
  GraphRun(RecordedGraph* graph, const DeviceConfig& config, std::span<const CallerArray> arrays,
           uint32_t first_generation)
      : graph_(graph), first_generation_(first_generation) {
    if (graph_ == nullptr || !graph_->begin(config, arrays, first_generation)) return;
    replay_.emplace(*graph_, first_generation);
    has_replayed_ = true;
  }

  /// Its calls are to be recorded.
  [[nodiscard]] bool is_recorded() const { return graph_ != nullptr && !has_replayed_; }
  [[nodiscard]] CallTape& tape() { return graph_->tape(); }
  /// The place in the graph; null: it is recorded, or was left, or there is none.
  [[nodiscard]] GraphReplay* replay() { return replay_ ? &*replay_ : nullptr; }
  /// Tasks may have been submitted with the edges of the graph.
  [[nodiscard]] bool has_replayed() const { return has_replayed_; }

  /// Plays what was replayed into the books of a run that has called nothing, and replays no more.
  /// `tasks` were submitted so far. Throws std::bad_alloc.
  void leave(const std::string& reason, uint64_t tasks, const DeviceConfig& config,
             Dataflow& dataflow, PlayListener& listener) {
    graph_->leave(tasks, reason);
    graph_->play(replay_->taken(), dataflow, config, first_generation_, listener);
    replay_.reset();
  }

 private:
  RecordedGraph* const graph_;
  const uint32_t first_generation_;
  std::optional<GraphReplay> replay_;
  bool has_replayed_ = false;
};

}  // namespace pto2
