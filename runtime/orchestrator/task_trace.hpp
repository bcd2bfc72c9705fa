/// What was submitted, for the record of a run: the orchestrator's side table, kept only when its
/// events are recorded.
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
#include "runtime/record/record.hpp"

namespace pto2 {

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
  [[gnu::noinline]] void claimed(Claim claim) { claims_.push_back(claim); }
  /// A task was admitted and has its tensors' addresses. Its packed buffer begins at `heap_begin`
  /// of the heap; `first_node` is the place of its first node.
  void submitted(const Submission& task, TaskId id, uint64_t heap_begin, uint32_t first_node);
  /// Where the heap of a ring lies.
  void set_heap(RingId ring, uint64_t address) { heaps_[ring.value] = address; }

  /// The tasks, in the order of their submission, without the numbers of their events. Their types
  /// are numbers of CoreType, and the bases of external tensors are addresses.
  [[nodiscard]] std::vector<TaskRecord>& tasks() { return tasks_; }

 private:
  void add_tensor(PTOParamType type, const TensorRecord& tensor, TaskRecord& traced) const;
  void add_params(const Submission& task, TaskRecord& traced) const;
  void add_pipes(const Submission& task, TaskRecord& traced);

  std::size_t limit_ = 0;
  uint32_t scopes_begun_ = 0;
  std::vector<uint32_t> open_scopes_;
  std::vector<Claim> claims_;
  std::vector<TaskRecord> tasks_;
  std::set<std::pair<uint32_t, int32_t>> known_pipes_;  ///< by group and tag
  std::array<uint64_t, max_rings> heaps_{};
};

}  // namespace pto2
