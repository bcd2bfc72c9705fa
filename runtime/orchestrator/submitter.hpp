/// Admission with back-pressure: waits until a submission fits, and makes it a task.
///
/// Slot, heap bytes, nodes and TensorMap entries are taken together, or the submitter waits for all
/// of them. It is the only one that waits for resources, clusters among them: if everything that
/// was submitted has finished and something is still lacking, nobody will ever provide it, and that
/// is a deadlock.
#pragma once

#include <array>
#include <optional>
#include <unordered_map>
#include <vector>

#include "runtime/orchestrator/counting.hpp"
#include "runtime/orchestrator/dataflow.hpp"
#include "runtime/orchestrator/deadlock_report.hpp"
#include "runtime/orchestrator/graph_replay.hpp"
#include "runtime/orchestrator/orchestration_ops.hpp"
#include "runtime/orchestrator/pace.hpp"
#include "runtime/orchestrator/scope_tasks.hpp"
#include "runtime/orchestrator/task_trace.hpp"
#include "runtime/run/run_state.hpp"

namespace pto2 {

/// What the orchestrator counted. Read after the run.
struct OrchestratorCounts {
  uint64_t tasks = 0;
  uint64_t edges_linked = 0;
  uint64_t edges_early = 0;
  uint64_t holds = 0;
  uint64_t waits = 0;
  uint64_t wait_ticks = 0;
  uint64_t cas_retries = 0;
  uint64_t peak_window = 0;
  uint64_t slots_recycled = 0;
  uint64_t open_scopes = 0;  ///< when the orchestration returned, without the outer one
};

/// How a reservation ended.
enum class Reserved : uint8_t {
  fits,        ///< all is there, until the next submission
  deadlocked,  ///< it can never fit
  given_up,    ///< the run has come to its end by an error meanwhile
};

template <executors::ExecutionPolicy P, template <class> class F>
class Submitter {
 public:
  using State = RunState<P, F>;
  using Admitted = typename Admission<P, RuntimeSlot<P, F>>::Admitted;
  using Ring = typename Admission<P, RuntimeSlot<P, F>>::Ring;

  /// All of them outlive this object; `log` may be empty.
  Submitter(State& state, Dataflow& dataflow, Counting& counting, const LogSink& log,
            EventLog& events, OrchestratorCounts& counts)
      : state_(state),
        dataflow_(dataflow),
        counting_(counting),
        log_(log),
        events_(events),
        counts_(counts) {
    for (uint32_t r = 0; r < state.config.rings; ++r) {
      auto& ring = *state.rings[r];
      desks_[r] = {&state.admission.ring(RingId(r)), &ring.arguments[0], &ring.argument_blocks,
                   reinterpret_cast<uint64_t>(ring.heap_memory.data())};
    }
  }

  /// When it is known what is recorded, and before the first submission.
  void begin() {
    is_watched_ = task_trace_.enabled() || events_.enabled() || state_.calls.guard != nullptr;
  }
  /// Submissions are to this ring from here on.
  void enter(RingId ring) { desk_ = &desks_[ring.value]; }
  /// A submission of this type comes. The schedulers are told once that tasks come which run
  /// neither on a cube nor on a vector core.
  void expect(CoreType type) {
    if (static_cast<uint32_t>(type) < cluster_core_types || rare_types_expected_) [[likely]]
      return;
    state_.expect_rare_types();
    rare_types_expected_ = true;
  }
  /// Tasks that were made.
  [[nodiscard]] uint64_t submitted() const { return counts_.tasks; }
  /// Tickets that were made for block tasks. Each holds the slot beside its task.
  [[nodiscard]] uint64_t tickets() const { return tickets_; }
  /// True if all tasks and tickets have finished.
  [[nodiscard]] bool quiescent() const { return state_.stall.quiescent(submitted() + tickets_); }

  /// Looks at the watermarks now and then, before the look-ups of a submission; and gives way to
  /// the schedulers if it is far ahead of them.
  void observe(RingId ring);
  /// Takes the memory of the task's arguments.
  void take_arguments(Submission& task);
  /// True: its parameters are values, and the kernel will see them; it names nothing.
  [[nodiscard]] bool show_values(Submission& task);
  /// What Dataflow::resolve() does; writes on the way what the kernel will see, and counts the
  /// producers and owners that can be live in the best case.
  [[nodiscard]] bool resolve(Submission& task);
  /// The same of a run that replays a graph. False: the request is not the next one of the graph.
  [[nodiscard]] bool resolve(GraphReplay& replay, const Request& request, Submission& task);
  /// True if slot, heap bytes, nodes and TensorMap entries, which are taken together, are free,
  /// given the watermarks as last observed.
  [[nodiscard]] bool fits(const Needs& needs);
  /// If not: waits until the submission fits.
  [[nodiscard]] Reserved wait_for_room(Submission& task);
  /// Makes the submission a task, which fits, and is counted then. What it needs, and whether it is
  /// placed, the compiler may know.
  [[gnu::always_inline]] void make(const Submission& task, const Needs& needs, bool is_placed) {
    const auto admitted = take(needs);
    counting_.submit(task.ring, needs);
    commit(task, needs, admitted, is_placed, dataflow_);
  }
  /// The first part of that: takes what the task needs.
  [[nodiscard]] Admitted take(const Needs& needs) {
    return desk_->ring->take(needs.heap_bytes, needs.nodes);
  }
  /// The rest: writes the task, and pushes it if it is ready. Its tensors are the dataflow's, or
  /// those of the graph that it is a task of.
  template <class Tensors>
  void commit(const Submission& task, const Needs& needs, Admitted admitted, bool is_placed,
              Tensors& tensors);
  /// Of a scope that ends: lets go of these tasks, and advances past those that are consumed by it.
  void drop_scope(RingId ring, ScopeTasks::Run run);
  /// What was submitted, if that is kept.
  [[nodiscard]] TaskTrace& task_trace() { return task_trace_; }
  /// Waits until a cluster is free, and takes it, for an allocation in a scope of this ring.
  [[nodiscard]] Reserved allocate_cluster(RingId ring, ClusterId& cluster);
  /// What reserve() or allocate_cluster() found when it said that it was deadlocked.
  [[nodiscard]] const Deadlock& deadlock() const { return deadlock_; }

 private:
  /// Where it waits.
  struct Wait {
    RingId ring;           ///< of the scope
    uint32_t open_scopes;  ///< that one included
    uint64_t awaited;      ///< watermark of the ring, before which it does not look; 0: any
  };

  void look(RingId ring);
  [[nodiscard]] std::optional<Resource> lacking(const Submission& task);
  [[nodiscard]] std::optional<Resource> observe_lacking(Submission& task);
  void forget_reclaimed_producers(Submission& task);
  template <class Look, class Requested>
  [[nodiscard]] Reserved wait(Wait place, Look&& look, Requested&& requested);
  [[nodiscard]] uint64_t awaited_watermark(RingId ring, Resource lacks) const;
  [[nodiscard]] bool is_warning_due(uint64_t evaluations);
  void warn(const Wait& place, Resource lacks, uint64_t requested, uint64_t evaluations);
  [[nodiscard]] Deadlock blocked(Resource resource, const Wait& place, uint64_t requested) const;
  void open_guarded(const Submission& task, TaskId id, uint64_t buffers);
  void write_placed(const Submission& task, TaskId id);
  void publish(const Submission& task, const Admitted& admitted, bool is_placed);
  void publish_noted(const Submission& task, const Admitted& admitted);
  void push(CoreType type, SlotId slot);
  void push_elsewhere(uint32_t type, SlotId slot);
  template <class Tensors, bool traced>
  [[nodiscard]] uint32_t claim(const Submission& task, SlotId slot, uint32_t first_node);
  /// Writes what the kernel will see of a parameter.
  struct Show {
    [[gnu::always_inline]] void operator()(const Submission& task, uint32_t i,
                                           uint64_t scalar) const {
      task.arguments.values()[i] = static_cast<int64_t>(scalar);
    }
    [[gnu::always_inline]] void operator()(const Submission& task, uint32_t i,
                                           const TensorRecord& tensor) const {
      (*this)(task, i, tensor.shown());
    }
    /// Of a graph: by what was recorded it has an address.
    [[gnu::always_inline]] void operator()(const Submission& task, uint32_t i,
                                           const PTOTensor& tensor) const {
      PTOTensor& shown = task.arguments.tensor(i);
      shown = tensor;
      task.arguments.values()[i] = reinterpret_cast<int64_t>(&shown);
    }
  };
  /// The line of a producer's slot belongs to its scheduler.
  [[gnu::always_inline]] void prefetch_slot(TaskId id) {
    P::prefetch_for_write(&state_.life.slot_of(id));
  }
  void find_oldest(Deadlock& deadlock) const;

  /// What the submitter writes of a ring.
  struct Desk {
    Ring* ring = nullptr;                                           ///< the books
    typename P::template cell<TaskArguments>* arguments = nullptr;  ///< by slot
    ArgumentBlocks* blocks = nullptr;
    uint64_t heap = 0;  ///< where it begins
  };

  State& state_;
  std::array<Desk, max_rings> desks_;
  const Desk* desk_ = &desks_[0];  // of the ring that is submitted to
  Dataflow& dataflow_;
  Counting& counting_;
  const LogSink& log_;
  EventLog& events_;
  OrchestratorCounts& counts_;
  std::unordered_map<uint32_t, std::vector<ClusterId>> part_clusters_;  // by slot
  uint64_t tickets_ = 0;  // of block tasks, that have a hold on their slots
  Deadlock deadlock_;
  uint64_t last_warning_ = 0;
  bool rare_types_expected_ = false;  // RunState::expect_rare_types() was called
  bool is_watched_ = true;  // something of each task is recorded, or its buffers are guarded
  Pace<P> pace_;
  TaskTrace task_trace_;
};

}  // namespace pto2
