/// The orchestrator: builds the graph while it runs.
///
/// Serves the functions of pto_orchestration_api.h. A submission takes the original's steps:
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
/// The original's step 8 has no work left: dropping the hold publishes the task.
///
/// What the tensors mean (2, 3, 5, 6) is the affair of Dataflow, the wait for resources and the
/// task's way into its ring (1, 4, 7) that of Submitter, the groups that hold clusters that of
/// ClusterGroups. Blocked in step 1, or for a cluster, with everything submitted finished, it is
/// deadlocked. The run is given up then, and the orchestration goes on
/// in counting mode to learn the size that would have worked (Counting).
#pragma once

#include <cstdarg>
#include <functional>
#include <span>
#include <vector>

#include "runtime/include/pto_orchestration_api.h"
#include "runtime/orchestrator/cluster_groups.hpp"
#include "runtime/orchestrator/counting.hpp"
#include "runtime/orchestrator/dataflow.hpp"
#include "runtime/orchestrator/submitter.hpp"
#include "runtime/run/error.hpp"
#include "runtime/run/run_state.hpp"

namespace pto2 {

/// What the orchestrator needs from the launch.
struct OrchestratorInput {
  std::span<const KernelEntry> kernels;     ///< by id; null: no such kernel
  std::function<void(PTO2Runtime*)> entry;  ///< the orchestration
  LogSink log;
  uint32_t first_generation = 1;  ///< of the tensor handles, apart from those of other launches
};

template <executors::ExecutionPolicy P, template <class> class F>
class Orchestrator {
 public:
  using State = RunState<P, F>;

  Orchestrator(State& state, OrchestratorInput input);

  /// The body of the logical thread: start-up, the orchestration in its outer scope, the end.
  void run();

  [[nodiscard]] const RunError& error() const { return error_; }
  [[nodiscard]] const OrchestratorCounts& counts() const { return counts_; }
  [[nodiscard]] EventLog& log() { return log_; }
  /// Before the run: keeps what is submitted, up to `limit` tasks.
  void trace_tasks(std::size_t limit) { task_trace() = TaskTrace(limit); }
  [[nodiscard]] TaskTrace& task_trace() { return submitter_.task_trace(); }
  /// Tickets that hold a slot, or have held one; they finish beside the tasks.
  [[nodiscard]] uint64_t tickets() const { return submitter_.tickets(); }
  /// True if the orchestrator's own structures are whole. O(window).
  [[nodiscard]] bool invariant_holds() const { return dataflow_.map().invariant_holds(); }

  // The functions of the orchestration API.
  void submit_task(int32_t kernel_id, int32_t worker_type, const PTOParam* params, uint32_t count);
  void submit_task_clustered(int32_t kernel_id, int32_t worker_type, const PTOParam* params,
                             uint32_t count, int32_t cluster);
  int32_t allocate_cluster();
  void free_cluster(int32_t cluster);
  /// One task of `block_dim` parts, each of which has two more arguments, block_dim and its number.
  /// Part i is pinned to clusters[i], unless `clusters` is null.
  void submit_block_task(int32_t kernel_id, int32_t worker_type, const PTOParam* params,
                         uint32_t count, uint32_t block_dim, const int32_t* clusters);
  void scope_begin();
  void scope_end();
  void orchestration_done() { done_ = true; }
  uint64_t make_tensor(uint64_t address, const uint64_t* shapes, uint32_t ndims, DataType dtype);
  uint64_t view(uint64_t tensor, const uint64_t* shapes, const uint64_t* offsets);
  uint64_t reshape(uint64_t tensor, const uint64_t* shapes, uint32_t ndims);
  uint64_t transpose(uint64_t tensor, uint32_t x, uint32_t y);
  [[nodiscard]] const TensorRecord* find_tensor(uint64_t tensor, const char* use);
  void dump(uint64_t tensor);
  uint64_t describe(uint64_t tensor, char* text, uint64_t capacity);
  void log_line(int32_t level, const char* format, va_list arguments);

 private:
  enum class Mode {
    running,
    counting,  ///< deadlocked: nothing is executed any more
    stopped,   ///< another error, or counting took too long: calls do nothing
  };

  void start_up();
  void run_orchestration();
  void finish();
  [[nodiscard]] bool check_block(const PTOParam* params, uint32_t count, uint32_t block_dim,
                                 const int32_t* clusters);
  bool refuse(const std::string& problem, const char* hint);
  bool refuse_params(const PTOParam* params, uint32_t count, uint32_t most,
                     const char* beside = "");
  bool check(Submission& task, int32_t kernel_id, int32_t worker_type);
  [[nodiscard]] bool reserve(Submission& task);
  void begin_counting(const Submission& task);
  [[nodiscard]] bool expect_rare(int32_t worker_type);
  void begin_counting(const Deadlock& deadlock);
  void finish_counting();
  void fail(RunError error);
  void adopt_fault();
  void end_pipes(uint32_t cluster);
  void record_leftover(const PipeLeftover& left);
  void report_leftovers();
  void drop_scope(std::size_t first_task);
  [[nodiscard]] std::optional<uint32_t> take_cluster();
  [[nodiscard]] bool check_group(const char* call, int32_t cluster);
  void close_group(const OpenGroup& group);
  [[nodiscard]] uint32_t depth() const { return static_cast<uint32_t>(scopes_.size()) - 1; }
  [[nodiscard]] uint32_t ring() const { return std::min(depth(), state_.config.rings - 1); }
  [[nodiscard]] uint64_t handle_of(const TensorResult& result, const char* call);
  void prefetch_slot(TaskId id) { P::prefetch_for_write(&state_.life.slot(state_.life.place(id))); }

  State& state_;
  OrchestratorInput input_;
  Mode mode_ = Mode::running;
  bool done_ = false;
  bool rare_types_expected_ = false;  // RunState::expect_rare_types() was called
  RunError error_;
  OrchestratorCounts counts_;
  EventLog log_;
  Dataflow dataflow_;
  Submitter<P, F> submitter_;
  Counting counting_;
  ClusterGroups groups_;
  Submission submission_;  // under way
  RunError refusal_;       // of that one
  std::vector<PipeLeftover> leftovers_;
  std::vector<TaskId> scope_tasks_;  // of all open scopes
  std::vector<std::size_t> scopes_;  // where the tasks of each begin
};

}  // namespace pto2
