/// What was submitted, for the trace of a run: the orchestrator's side table, kept only when a
/// trace is wanted.
///
/// Its events say when something happened to a task; this table says what the task is: parameters,
/// producers, scope, and what it took of its ring. It is filled from the orchestrator's own books
/// and reads nothing that is shared, so that a schedule with it is the schedule without it.
///
/// Used by one thread, the orchestrator; read after the run.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "core/admission.hpp"
#include "runtime/orchestrator/submission.hpp"

namespace pto2 {

/// A parameter, as the TensorMap saw it.
struct TracedParam {
  PTOParamType type = PTOParamType::SCALAR;
  bool external = false;   ///< the caller owns the buffer
  TaskId owner = no_task;  ///< the task whose heap range holds the buffer; none if external
  uint64_t base = 0;       ///< address of the buffer
  Region region{};         ///< of it; all 0 for a scalar or a pipe
  int32_t tag = 0;         ///< of a pipe
};

/// A producer, and what its claim came to.
struct TracedEdge {
  TaskId producer;
  Claim claim;
};

/// A task. Its parameters, edges, holds and pipes are the next `params`, .. of the table's.
struct TracedTask {
  TaskId id;
  CoreType type = CoreType::cube;
  int16_t cluster = any_cluster;  ///< where it is pinned, if all its parts are pinned there
  uint32_t group = 0;             ///< that has the cluster; only with a cluster
  uint32_t block_dim = 0;         ///< parts of a block task; 0: it is none
  uint32_t kernel = 0;
  uint32_t depth = 0;       ///< of its scope, 0 the outermost
  uint32_t scope = 0;       ///< number of its scope
  uint64_t heap_begin = 0;  ///< bytes from the start of its ring's heap
  uint64_t heap_bytes = 0;
  uint32_t first_node = 0;  ///< place in its ring's dependency pool
  uint32_t nodes = 0;
  uint32_t params = 0;
  uint32_t edges = 0;
  uint32_t holds = 0;
  uint32_t pipes = 0;  ///< that it is the first to name
};

/// A pipe, where it is made.
struct TracedPipe {
  int32_t tag;
  uint32_t capacity;  ///< slots
};

class TaskTrace {
 public:
  TaskTrace() = default;
  /// Keeps up to `limit` tasks, as many as the orchestrator's log can have events.
  explicit TaskTrace(std::size_t limit) : limit_(limit) {}

  /// True if there is to be a trace.
  [[nodiscard]] bool enabled() const { return limit_ != 0; }

  /// A scope begins; returns its number, from 0.
  uint32_t scope_begin();
  /// The innermost scope ends; returns its number. Requires an open scope.
  uint32_t scope_end();
  /// The claim of the next producer of the task that is submitted next.
  void claimed(Claim claim) { claims_.push_back(claim); }
  /// A task was admitted and has its tensors' addresses. `first_node` is the place of its first
  /// node.
  void submitted(const Submission& task, const Admitted& admitted, uint32_t first_node);
  /// The orchestrator waits for a resource; `requested` is what it lacks of it, in bytes or
  /// entries.
  void waits(uint64_t requested);
  /// Where the heap of a ring lies.
  void set_heap(uint32_t ring, uint64_t address) { heaps_[ring] = address; }

  // In the order of the orchestrator's events.
  [[nodiscard]] const std::vector<TracedTask>& tasks() const { return tasks_; }
  [[nodiscard]] const std::vector<TracedParam>& params() const { return params_; }
  [[nodiscard]] const std::vector<TracedEdge>& edges() const { return edges_; }
  [[nodiscard]] const std::vector<TaskId>& holds() const { return holds_; }
  [[nodiscard]] const std::vector<TracedPipe>& pipes() const { return pipes_; }
  /// Amounts of the waits for resources.
  [[nodiscard]] const std::vector<uint64_t>& requests() const { return requests_; }
  [[nodiscard]] uint64_t heap(uint32_t ring) const { return heaps_[ring]; }

 private:
  void add_params(const Submission& task);
  void add_pipes(const Submission& task);

  std::size_t limit_ = 0;
  uint32_t scopes_begun_ = 0;
  std::vector<uint32_t> open_scopes_;
  std::vector<Claim> claims_;
  std::vector<TracedTask> tasks_;
  std::vector<TracedParam> params_;
  std::vector<TracedEdge> edges_;
  std::vector<TaskId> holds_;
  std::vector<TracedPipe> pipes_;
  std::set<std::pair<uint32_t, int32_t>> known_pipes_;  ///< by group and tag
  std::vector<uint64_t> requests_;
  std::array<uint64_t, max_rings> heaps_{};
};

}  // namespace pto2
