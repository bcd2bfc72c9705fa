/// Counting: what a run needs, and the deadlock that it met.
///
/// Every submission is counted from the first on. After a deadlock the orchestration goes on in
/// counting mode: its tasks are in the books, at an address that nobody will use, and nothing is
/// executed. So the sizes that would have worked are known at its end (requirement.hpp). What the
/// TensorMap would have needed, it tells itself: when everything has finished, and from there on,
/// it holds the entries of the best case.
///
/// Used by one thread, the orchestrator.
#pragma once

#include <array>
#include <cstdint>

#include "runtime/orchestrator/dataflow.hpp"
#include "runtime/orchestrator/deadlock_report.hpp"
#include "runtime/orchestrator/requirement.hpp"
#include "runtime/run/config.hpp"

namespace pto2 {

class Counting {
 public:
  using PerRing = std::array<uint64_t, max_rings>;

  /// Counts `most_steps` for `patience` ticks at most, on rings with heaps of `heap_bytes`.
  Counting(uint32_t rings, uint64_t heap_bytes, uint64_t patience)
      : rings_(rings), patience_(patience), requirement_(heap_bytes) {}

  void scope_begin() { requirement_.scope_begin(); }
  void scope_end() { requirement_.scope_end(); }
  /// False of a producer or owner that has retired in the best case, whatever it has done here.
  [[nodiscard]] bool can_be_live(TaskId id) const { return requirement_.can_be_live(id); }
  /// A task is submitted, whether it is executed or not.
  void submit(const Submission& task) {
    uint64_t nodes = 0;
    for (const TaskId id : task.producers) nodes += can_be_live(id) ? 1 : 0;
    for (const TaskId id : task.owners) nodes += can_be_live(id) ? 1 : 0;
    submit(task.ring, {.heap_bytes = task.heap_bytes, .live_nodes = nodes});
  }
  /// The same of a task that needs this, which says how many of its nodes can be live.
  void submit(RingId ring, const Needs& needs) {
    requirement_.submit(ring, {.heap_bytes = needs.heap_bytes, .dep_nodes = needs.live_nodes});
  }

  /// From here on nothing is executed: the rings have come to the tasks `next`, and `alive` are the
  /// oldest that have not been reclaimed.
  void begin(Deadlock deadlock, const PerRing& next, const PerRing& alive, uint64_t now);
  /// Before the look-ups of a task of this ring: the watermarks are those of the best case.
  void observe(RingId ring, TensorMap& map);
  /// What the next task of this ring is called.
  [[nodiscard]] TaskId next(RingId ring) const { return make_id(ring, next_[ring.value]); }
  /// Tasks since then.
  [[nodiscard]] uint64_t tasks() const { return tasks_; }
  /// Of what the orchestration may do without end: false once it has done enough of it, or for long
  /// enough.
  [[nodiscard]] bool goes_on(uint64_t now) {
    return ++steps_ < most_steps && now - since_ <= patience_;
  }
  /// In place of an execution; its outputs may lie on each other. False as goes_on().
  [[nodiscard]] bool count_only(Submission& task, Dataflow& dataflow, uint64_t now);
  /// What was learnt on a device of `config`. `to_end`: the orchestration has returned.
  [[nodiscard]] RunError finish(bool to_end, const ClusterGroups& groups,
                                const DeviceConfig& config);

 private:
  /// In a simulation nothing is long. A scope of more tasks has no window that is large enough.
  static constexpr uint64_t most_steps = window_range.high;

  void add_late_nodes();

  uint32_t rings_;
  uint64_t patience_;
  ResourceRequirement requirement_;
  Deadlock deadlock_;
  uint64_t since_ = 0;
  uint64_t steps_ = 0;  // tasks and scopes since then
  uint64_t tasks_ = 0;
  uint64_t entries_ = 0;  // most that the TensorMap has needed at once
  PerRing next_{};        // local ids that counting gives out
  PerRing alive_{};       // watermarks of counting
};

}  // namespace pto2
