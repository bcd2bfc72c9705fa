/// The orchestrator: builds the graph while it runs.
///
/// Serves the functions of pto_orchestration_api.h. A submission takes the seed's steps:
///   0  sync         the TensorMap learns the watermarks and gives entries back
///   2  check        kernel, parameters, tensors; sizes of the outputs
///   3  look up      producers of INPUT and INOUT parameters
///   1  reserve      slot, heap bytes, nodes and TensorMap entries together, all or nothing,
///                   before the first claim; it comes here because step 3 tells how many nodes
///   4  claim        an edge per producer that has not been consumed; a reference to the owner of
///                   each buffer that it writes and does not read
///   5  allocate     addresses of new outputs in the task's packed buffer
///   6  insert       OUTPUT and INOUT parameters
///   7  publish      arguments and descriptor are written, the hold of the fan-in is dropped;
///                   if nothing is awaited, the task is pushed
/// The seed's step 8 has no work left: dropping the hold publishes the task.
///
/// Blocked in step 1 with everything submitted finished, it is deadlocked. The run is given up
/// then, and the orchestration goes on in counting mode to learn the size that would have worked.
#pragma once

#include <array>
#include <cstdarg>
#include <functional>
#include <span>
#include <vector>

#include "runtime/include/pto_orchestration_api.h"
#include "runtime/orchestrator/deadlock_report.hpp"
#include "runtime/orchestrator/requirement.hpp"
#include "runtime/run/error.hpp"
#include "runtime/run/run_state.hpp"
#include "runtime/tensormap/tensor_map.hpp"
#include "runtime/tensormap/tensor_table.hpp"

namespace pto2 {

/// Receives log lines; `level` is a PTO2LogLevel.
using LogSink = std::function<void(int32_t level, const char* text)>;

/// What the orchestrator needs from the launch.
struct OrchestratorInput {
  std::span<const KernelEntry> kernels;     ///< by id; null: no such kernel
  std::function<void(PTO2Runtime*)> entry;  ///< the orchestration
  LogSink log;
  uint32_t first_generation = 1;  ///< of the tensor handles, apart from those of other launches
};

/// What the orchestrator counted. Read after the run.
struct OrchestratorCounts {
  uint64_t tasks = 0;
  uint64_t edges_linked = 0;
  uint64_t edges_early = 0;
  uint64_t holds = 0;
  uint64_t waits = 0;
  uint64_t wait_ns = 0;
  uint64_t cas_retries = 0;
  uint64_t peak_window = 0;
  uint64_t slots_recycled = 0;
};

template <class P, template <class> class F>
class Orchestrator {
 public:
  using State = RunState<P, F>;

  Orchestrator(State& state, OrchestratorInput input);

  /// The body of the logical thread: start-up, the orchestration in its outer scope, the end.
  void run();

  [[nodiscard]] const RunError& error() const { return error_; }
  [[nodiscard]] const OrchestratorCounts& counts() const { return counts_; }
  [[nodiscard]] EventLog& log() { return log_; }
  /// True if the orchestrator's own structures are whole. O(window).
  [[nodiscard]] bool invariant_holds() const { return map_.invariant_holds(); }

  // The functions of the orchestration API.
  void submit_task(int32_t kernel_id, int32_t worker_type, const PTOParam* params, uint32_t count);
  void scope_begin();
  void scope_end();
  void orchestration_done() { done_ = true; }
  uint64_t make_tensor(uint64_t address, const uint64_t* shapes, uint32_t ndims, DataType dtype);
  uint64_t view(uint64_t tensor, const uint64_t* shapes, const uint64_t* offsets);
  uint64_t reshape(uint64_t tensor, const uint64_t* shapes, uint32_t ndims);
  uint64_t transpose(uint64_t tensor, uint32_t x, uint32_t y);
  [[nodiscard]] const TensorRecord* find_tensor(uint64_t tensor, const char* use);
  void dump(uint64_t tensor);
  void log_line(int32_t level, const char* format, va_list arguments);

 private:
  enum class Mode {
    running,
    counting,  ///< deadlocked: nothing is executed any more
    stopped,   ///< another error, or counting took too long: calls do nothing
  };

  struct Scope {
    uint64_t first_serial;   ///< of the first task submitted inside
    std::size_t first_task;  ///< in scope_tasks_
  };

  /// What the orchestrator keeps per slot for itself.
  struct TaskNote {
    uint64_t serial;         ///< over all rings, from 1
    uint64_t last_consumer;  ///< serial of the last task that named this one as producer
    uint32_t depth;          ///< of its scope
  };

  /// One submission under way.
  struct Submission {
    uint32_t kernel_id;
    CoreType type;
    std::span<const PTOParam> params;
    uint32_t ring;
    std::array<const TensorRecord*, max_params> tensors;
    std::array<uint32_t, max_params> output_params;  ///< the new outputs, in order
    std::array<uint64_t, max_params> output_bytes;   ///< of each
    uint32_t outputs;                                ///< how many there are
    uint64_t heap_bytes;
    std::array<TaskId, max_params> former_owners;  ///< of the memory that it writes unread
    uint32_t rewrites;                             ///< how many former_owners there are
    uint32_t inserts;
  };

  // submission.cpp
  bool check(Submission& task, int32_t kernel_id, int32_t worker_type);
  bool check_param(Submission& task, uint32_t i);
  bool check_memory(const TensorRecord& tensor, uint32_t i);
  void find_producers(const Submission& task);
  void find_owners(const Submission& task);
  [[nodiscard]] Demand demand(const Submission& task) const {
    return {task.ring, task.heap_bytes, producers_, owners_};
  }
  void count_demand(const Submission& task);
  [[nodiscard]] bool is_known_producer(TaskId id);
  void count_only(const Submission& task);
  void commit(const Submission& task);
  void allocate_outputs(const Submission& task, TaskId id, uint64_t address);
  void insert_outputs(const Submission& task, TaskId id);
  void write_arguments(const Submission& task, TaskId id);
  void publish(const Submission& task, const Admitted& admitted);

  // back_pressure.cpp
  [[nodiscard]] bool reserve(const Submission& task);
  [[nodiscard]] std::optional<Resource> lacking(const Submission& task);
  [[nodiscard]] std::optional<Resource> observe_lacking(const Submission& task);
  void observe_counted_watermarks(uint32_t ring);
  void forget_reclaimed_producers();
  void warn_blocked(const Submission& task, Resource resource, uint64_t evaluations);
  void report_deadlock(const Submission& task, Resource resource);
  void finish_counting();

  // orchestrator.cpp
  void start_up();
  void run_orchestration();
  void finish();
  void fail(ErrorCode code, std::string message, std::string hint);
  [[nodiscard]] uint32_t scope_ring() const {
    return std::min(static_cast<uint32_t>(scopes_.size()) - 1, state_.config.rings - 1);
  }
  [[nodiscard]] TaskNote& note(TaskId id) {
    return notes_[ring_of(id)][state_.admission.ring(ring_of(id)).tasks.slot(local_of(id))];
  }
  [[nodiscard]] bool scope_is_open(TaskId id);
  void prefetch_slot(TaskId id) { P::prefetch_for_write(&state_.life.slot(state_.life.place(id))); }

  State& state_;
  OrchestratorInput input_;
  Mode mode_ = Mode::running;
  bool done_ = false;
  RunError error_;
  Deadlock deadlock_;
  uint64_t counting_since_ns_ = 0;
  uint64_t last_warning_ns_ = 0;
  uint64_t counted_addresses_ = 0;
  std::array<uint64_t, max_rings> counted_next_{};  // local ids that counting gives out

  TensorTable tensors_;
  TensorMap map_;
  ResourceRequirement requirement_;
  std::vector<Scope> scopes_;
  std::vector<TaskId> scope_tasks_;
  std::array<MappedArray<TaskNote>, max_rings> notes_;
  std::array<uint64_t, max_rings> counted_alive_{};  // watermarks of counting
  uint64_t submitted_ = 0;
  std::vector<TaskId> producers_;  // of the submission under way
  std::vector<TaskId> owners_;     // of buffers that it uses, if they are no producers
  std::vector<TaskId> replaced_;
  OrchestratorCounts counts_;
  EventLog log_;
};

}  // namespace pto2
