/// The events of a trace, by task.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "runtime/record/record.hpp"

namespace pto2::judging {

/// Something that happens to a task once.
struct Moment {
  uint32_t event = no_index;  ///< the first; no_index: it never happened
  uint32_t times = 0;

  [[nodiscard]] bool has() const { return times != 0; }
};

struct PartHistory {
  Moment dispatch;
  Moment ack;
  Moment fin;
  uint32_t join = no_index;  ///< the event that pinned it, the first
};

struct TaskHistory {
  Moment ready;
  Moment consume;
  Moment reclaim;
  uint32_t first_part = 0;
  uint32_t first_param = 0;
  uint32_t fin = no_index;  ///< the last part's; no_index: not all parts have finished
  bool whole = true;        ///< keeps VR-I1 and VR-I2
  /// The last of what its end waits for: its own fin, its scope's end, its users' fins.
  uint32_t needed = no_index;
  bool needs_more = false;  ///< one of these never happened
};

class History {
 public:
  /// Refers to `trace`, which outlives it.
  explicit History(const Record& record);

  /// Number of a task's submission; none: there is no such task.
  [[nodiscard]] uint32_t find(TaskId task) const {
    if (ring_of(task).value >= rings_.size()) return no_index;
    const auto& ring = rings_[ring_of(task).value];
    return local_of(task) < ring.size() ? ring[local_of(task)] : no_index;
  }
  [[nodiscard]] TaskHistory& of(uint32_t task) { return tasks_[task]; }
  [[nodiscard]] const TaskHistory& of(uint32_t task) const { return tasks_[task]; }
  [[nodiscard]] std::span<const PartHistory> parts(uint32_t task) const {
    return std::span(parts_).subspan(tasks_[task].first_part, record_.tasks[task].parts());
  }
  /// ParamRecord::bytes() of a task's parameter.
  [[nodiscard]] const std::optional<Bytes>& bytes(uint32_t task, std::size_t param) const {
    return bytes_[tasks_[task].first_param + param];
  }
  /// Numbers of the events of a kind, in their order.
  [[nodiscard]] std::span<const uint32_t> of_kind(EventKind kind) const {
    const auto row = static_cast<std::size_t>(kind);
    return std::span(by_kind_).subspan(kinds_[row], kinds_[row + 1] - kinds_[row]);
  }
  /// Numbers of the events that scopes, groups and waits for resources are judged by, in their
  /// order: those of the orchestrator, and of others what they reclaim, give back and lack, and
  /// steps that are not theirs.
  [[nodiscard]] const std::vector<uint32_t>& of_orchestration() const { return of_orchestration_; }
  /// Submissions of each ring that came in their turn, by number.
  [[nodiscard]] const std::vector<std::vector<uint32_t>>& rings() const { return rings_; }
  /// Events that are of no task or of no part.
  [[nodiscard]] const std::vector<uint32_t>& strays() const { return strays_; }
  /// Submissions out of their turn.
  [[nodiscard]] const std::vector<uint32_t>& out_of_turn() const { return out_of_turn_; }

  /// After VR-I2 was judged: what each task's end waits for.
  void find_needs();

 private:
  void add_submissions();
  void sort_by_kind();
  [[nodiscard]] bool is_of_orchestration(const Event& event) const;
  void add(uint32_t number);
  void find_fin(uint32_t task);
  void need(uint32_t task, uint32_t event);
  /// The end of the scope that each task was submitted in, by how they nest.
  [[nodiscard]] std::vector<uint32_t> scope_ends() const;

  const Record& record_;
  std::vector<TaskHistory> tasks_;
  std::vector<PartHistory> parts_;
  std::vector<std::optional<Bytes>> bytes_;           // of all parameters
  std::array<std::size_t, event_kinds + 1> kinds_{};  // where each begins in by_kind_
  std::vector<uint32_t> by_kind_;
  std::vector<uint32_t> of_orchestration_;
  std::vector<std::vector<uint32_t>> rings_;
  std::vector<uint32_t> strays_;
  std::vector<uint32_t> out_of_turn_;
};

/// Whether `second`, which may not be earlier, is.
[[nodiscard]] inline bool is_late(const Event& first, const Event& second) {
  return first.t > second.t || (first.thread == second.thread && first.line > second.line);
}

}  // namespace pto2::judging
