/// The graph of an orchestration that runs again and again, kept from one run to the next.
///
/// The first run with it is recorded: its calls are noted (CallTape). If the run ends well, they
/// are played into a TensorMap of their own, in which a task retires only when its slot would be
/// given out again. So the edges that come out are all that any run can need, however fast it was;
/// those to tasks that had retired already are left out when they are used. An edge is left out for
/// good if a path of others orders the two tasks as well, unless its producer allocated a buffer
/// that the task uses: then the edge is what holds the buffer.
///
/// Later runs compare their calls with the tape, and submit the same tasks with these edges: no
/// tensor is laid out again, and nothing is looked up (GraphReplay). The first call that differs
/// ends that. The calls before it are played into the run's own TensorMap, and the run goes on as
/// any other; the run after it is recorded anew.
///
///   RG-I1: what has succeeded when it was called first does so when it is played.
///   RG-P1: one run at a time uses a graph.
///
/// It takes some 400 bytes per tensor, 120 per task and 8 per edge; graphs whose edges would grow
/// with the window are refused (GraphCompiler::most_producers).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "runtime/orchestrator/call_tape.hpp"
#include "runtime/orchestrator/dataflow.hpp"
#include "runtime/orchestrator/graph_use.hpp"

namespace pto2 {

/// What of a tensor is another from run to run, with what kernels are shown beside it, in one line.
struct alignas(cache_line) PlacedTensor : PTOTensor {
  /// Address of the buffer; as long as there is none in this run, the last one's. 0 of memory of
  /// the caller, which is the same in all runs: one begin for tensors that may have come to share a
  /// buffer when one of them had been made.
  uint64_t base;
};
static_assert(sizeof(PlacedTensor) == cache_line);

/// A tensor that its task allocates.
struct RecordedOutput {
  uint32_t param;   ///< the number of the parameter
  uint32_t tensor;  ///< the number of the tensor
  uint64_t offset;  ///< of its buffer in what the task takes of the heap
};

/// What follows from the calls for one task.
struct RecordedTask {
  std::size_t first_edge = 0;    ///< place of its producers in the list, and of its owners behind
  std::size_t first_output = 0;  ///< place of its new outputs in the list
  uint64_t heap_bytes = 0;
  uint32_t producers = 0;
  uint32_t owners = 0;
  uint32_t outputs = 0;
  uint32_t allocates = 0;  ///< bit i: parameter i is a new output
};
static_assert(max_params <= 32);

/// Who is told what calls mean while they are played.
class PlayListener {
 public:
  PlayListener() = default;
  PlayListener(const PlayListener&) = delete;
  PlayListener& operator=(const PlayListener&) = delete;
  virtual ~PlayListener() = default;

  virtual void scope_begin() {}
  virtual void scope_end() {}
  /// A tensor was made.
  virtual void made([[maybe_unused]] const TensorRecord& tensor) {}
  /// The parameters of the task were resolved, and it is about to be placed.
  virtual void resolved(Submission& task, TaskId id) = 0;
  /// Where the task's packed buffer begins, not 0.
  virtual uint64_t address_of(const Submission& task) = 0;
};

class RecordedGraph {
 public:
  RecordedGraph() = default;
  RecordedGraph(const RecordedGraph&) = delete;
  RecordedGraph& operator=(const RecordedGraph&) = delete;

  /// How the last run used it.
  [[nodiscard]] const GraphUse& use() const { return use_; }

  // For a run.

  /// A run begins on a device of `config`, given `arrays`, with tensors from `first_generation` on.
  /// True: it can be replayed; else it is to be recorded.
  [[nodiscard]] bool begin(const DeviceConfig& config, std::span<const CallerArray> arrays,
                           uint32_t first_generation);
  /// While the run is recorded: what it calls.
  [[nodiscard]] CallTape& tape() { return tape_; }
  /// The run leaves what was recorded, having submitted so many tasks as before.
  void leave(uint64_t tasks, std::string reason);
  /// The run has ended, well or not, with so many tasks: keeps what the next one can use.
  void end(bool well, uint64_t tasks);

  [[nodiscard]] std::span<const uint64_t> words() const { return tape_.words(); }
  /// All tensors, by number; what differs from run to run is that of some run.
  [[nodiscard]] std::span<TensorRecord> records() { return records_; }
  /// The rest of them, which is written while the graph is replayed.
  [[nodiscard]] std::span<PlacedTensor> tensors() { return tensors_; }
  [[nodiscard]] const RecordedTask& task(uint64_t number) const { return tasks_[number]; }
  [[nodiscard]] std::span<const TaskId> producers(const RecordedTask& task) const {
    return {edges_.data() + task.first_edge, task.producers};
  }
  [[nodiscard]] std::span<const TaskId> owners(const RecordedTask& task) const {
    return {edges_.data() + task.first_edge + task.producers, task.owners};
  }
  [[nodiscard]] std::span<const RecordedOutput> outputs(const RecordedTask& task) const {
    return {outputs_.data() + task.first_output, task.outputs};
  }

  /// Plays the first `words` words, whole calls in the run's outer scope, into `dataflow`, where
  /// nothing has happened yet and tensors start at `first_generation`. Its pool grows as it must.
  /// Throws std::bad_alloc.
  void play(std::size_t words, Dataflow& dataflow, const DeviceConfig& config,
            uint32_t first_generation, PlayListener& listener) const;

 private:
  void compile();
  void clear();

  DeviceConfig config_;
  std::vector<CallerArray> arrays_;  ///< that all tensors of the calls keep to
  CallTape tape_;
  bool is_recorded_ = false;
  GraphUse use_;
  std::vector<TensorRecord> records_;  ///< of tensors, in the order in which they are made
  std::vector<PlacedTensor> tensors_;  ///< in the same order
  std::vector<RecordedTask> tasks_;    ///< in the order of submission
  std::vector<TaskId> edges_;
  std::vector<RecordedOutput> outputs_;
};

}  // namespace pto2
