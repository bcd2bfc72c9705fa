/// The orchestrator: builds the graph while it runs.
///
/// Serves the functions of pto_orchestration_api.h, through the tables in orchestration_ops.hpp. A
/// submission takes these steps:
///   1  accept       kernel, worker type, number of parameters, clusters: what a Request names
///   2  sync         now and then the TensorMap learns the watermarks and gives entries back
///   3  resolve      parameter by parameter: its tensor, what the kernel is shown, the producers of
///                   INPUT and INOUT parameters; then the owners of what is written unread
///   4  reserve      slot, heap bytes, nodes and TensorMap entries together, all or nothing,
///                   before the first claim; after step 3, which tells how many nodes
///   5  claim        an edge per producer that has not been consumed; a reference to the owner of
///                   each buffer that it writes and does not read
///   6  place        output by output: its address in the task's packed buffer; then the entry of
///                   whatever is written; the descriptor
///   7  publish      the hold of the fan-in is dropped; if nothing is awaited, the task is pushed
///
/// What may be asked for (1) is the affair of Intake, what the tensors mean (3, 6) that of
/// Dataflow, the wait for resources and the task's way into its ring (2, 4, 5, 6, 7) that of
/// Submitter, the groups that hold clusters that of ClusterGroups. Blocked in step 4, or for a
/// cluster, with everything submitted finished, it is deadlocked. The run is given up then, and the
/// orchestration goes on in counting mode to learn the size that would have worked (Counting).
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "runtime/orchestrator/cluster_groups.hpp"
#include "runtime/orchestrator/counting.hpp"
#include "runtime/orchestrator/dataflow.hpp"
#include "runtime/orchestrator/graph_run.hpp"
#include "runtime/orchestrator/orchestration_ops.hpp"
#include "runtime/orchestrator/request.hpp"
#include "runtime/orchestrator/scope_tasks.hpp"
#include "runtime/orchestrator/submitter.hpp"
#include "runtime/run/error.hpp"
#include "runtime/run/run_state.hpp"

namespace pto2 {

/// What the orchestrator needs from the launch.
struct OrchestratorInput {
  std::span<const KernelEntry> kernels;     ///< by id; null: no such kernel
  std::function<void(PTO2Runtime*)> entry;  ///< the orchestration
  LogSink log;
  uint32_t first_generation = 1;   ///< of the tensor handles, apart from those of other launches
  RecordedGraph* graph = nullptr;  ///< to be recorded, or replayed; null: neither
  std::span<const DeclaredKernel> declared = {};  ///< what `kernels` were compiled for, by id
  std::span<const CallerArray> arrays = {};       ///< that the orchestration may make tensors of
};

template <executors::ExecutionPolicy P, template <class> class F>
class Orchestrator : public OrchestrationRuntime {
 public:
  using State = RunState<P, F>;

  Orchestrator(State& state, OrchestratorInput input);

  /// The body of the logical thread: start-up, the orchestration in its outer scope, the end.
  void run();

  [[nodiscard]] const RunError& error() const { return error_; }
  [[nodiscard]] const OrchestratorCounts& counts() const { return counts_; }
  [[nodiscard]] EventLog& log() { return log_; }
  /// Set before the run: it keeps what is submitted.
  [[nodiscard]] TaskTrace& task_trace() { return submitter_.task_trace(); }
  /// What the user's code has that it runs.
  [[nodiscard]] executors::RuntimeHandle& handle() const { return *handle_; }
  /// Tickets that hold a slot, or have held one; they finish beside the tasks.
  [[nodiscard]] uint64_t tickets() const { return submitter_.tickets(); }
  /// True if the run was given up because a thread of it, this or another, had no memory. What is
  /// left need not be whole then, and there is no error().
  [[nodiscard]] bool lacked_memory() const {
    return !has_memory_ || static_cast<ErrorCode>(state_.fatal.code()) == no_memory;
  }
  /// True if the orchestrator's own structures are whole. O(window).
  [[nodiscard]] bool invariant_holds() const { return dataflow_.map().invariant_holds(); }
  // For the functions of the orchestration API.
  void submit(const Request& request);
  /// The same of a run that may still replay its graph. False: it is not the next call of the
  /// graph, and no task yet.
  [[nodiscard]] bool submit_replayed(const Request& request);
  int32_t allocate_cluster();
  void free_cluster(int32_t cluster);
  void scope_begin();
  void scope_end();
  void orchestration_done();
  [[nodiscard]] Dataflow& dataflow() { return dataflow_; }
  // The same of a run with a graph.
  [[nodiscard]] GraphRun& graph() { return graph_; }
  void leave_graph(const std::string& reason);
  /// The run has failed.
  void fail(RunError error);
  template <bool leaves_whole = false, class Step>
  auto with_memory(Step&& step) -> decltype(step());

 private:
  enum class Mode {
    running,
    counting,  ///< deadlocked: nothing is executed any more
    stopped,   ///< another error, or counting took too long: stop_calls() was called
  };

  void start_up();
  void run_orchestration();
  void finish();
  void stop();
  [[nodiscard]] bool has_late_finding();
  void adopt_fault();
  void begin_counting();
  void finish_counting(bool to_end);
  void refuse(Submission& task);
  void submit_late(Submission& task);
  void submit_otherwise(Submission& task);
  void count(Submission& task);
  void look_at_course();
  [[nodiscard]] std::optional<ClusterId> take_cluster();
  void close_group(const OpenGroup& group);
  void report(const std::vector<PipeLeftover>& leftovers);
  [[nodiscard]] bool has_left_outer_scope() const { return done_ && scopes_.empty(); }

  void call_entry();

  State& state_;
  std::function<void(PTO2Runtime*)> entry_;
  const executors::RuntimeHandle::Owner handle_;
  Mode mode_ = Mode::running;
  bool done_ = false;
  bool is_usual_ = false;  // it runs, and tasks may come
  bool has_memory_ = true;
  RunError error_;
  OrchestratorCounts counts_;
  EventLog log_;
  Dataflow dataflow_;
  GraphRun graph_;
  Submitter<P, F> submitter_;
  Counting counting_;
  ClusterGroups groups_;
  Intake intake_;
  Submission submission_;  // what step 1 starts, and the memory of the next one
  ScopeTasks scopes_;
};

}  // namespace pto2
