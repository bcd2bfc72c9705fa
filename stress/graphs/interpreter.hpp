/// Runs a program of graph_program.hpp step by step, on bytes, and says what a run of it must do:
/// whether a call is refused, what each task reads and writes, and which tasks come before which.
///
/// The rules are those of the runtime's interface: a task that reads an element comes after every
/// earlier task that recorded a write of it; nothing else is ordered. Nothing here knows how the
/// runtime finds that out.
#pragma once

#include <bitset>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "runtime/run/error.hpp"
#include "stress/graphs/pipes.hpp"
#include "stress/graphs/program.hpp"
#include "stress/graphs/tensor.hpp"
#include "stress/graphs/values.hpp"

namespace pto2::graphs {

/// Most tasks of a program.
inline constexpr std::size_t max_tasks = 64;
using TaskSet = std::bitset<max_tasks>;

/// Calls visit(task) for each member.
template <class Visit>
void for_each_task(const TaskSet& tasks, Visit&& visit) {
  for (uint64_t left = tasks.to_ullong(); left != 0; left &= left - 1) {
    visit(static_cast<uint32_t>(__builtin_ctzll(left)));
  }
}

/// The call that the runtime must refuse; it ends the program.
struct Refusal {
  ErrorCode code;                 ///< what the run ends in
  std::size_t submission;         ///< how many tasks were submitted before
  std::optional<uint32_t> param;  ///< set when a parameter of a submission is at fault
  std::string problem;            ///< a part of the message
  std::size_t step = 0;           ///< of the program
};

/// A tensor that was made: where it lies, and since when.
struct PlacedTensor {
  TensorModel model;
  uint32_t buffer = 0;
  std::size_t scope = 0;  ///< that made it
};

/// Who did what with one byte.
struct ByteHistory {
  TaskSet recorded = {};  ///< those that named it as OUTPUT or INOUT
  TaskSet wrote = {};     ///< those whose kernels write it
  TaskSet read = {};
  bool defined = false;
};

struct Buffer {
  bool external = false;
  std::optional<uint32_t> owner = {};  ///< the task whose heap bytes it is in
  std::vector<uint8_t> contents = {};
  std::vector<ByteHistory> bytes = {};
};

/// What a task, or one part of a block task, finds.
struct PredictedPart {
  uint64_t before;  ///< hash of what it reads: its share of what the block task writes, if any
  uint64_t piped;   ///< hash of that, and of what it pops from pipes
  uint64_t after;   ///< hash of all that, and of what it has written
};

struct PredictedTask {
  std::size_t scope;  ///< innermost one
  uint32_t length;
  uint32_t block_dim;  ///< 0: not a block task
  std::vector<Param> params;
  std::vector<PipeParam> pipes;
  std::optional<uint32_t> group;  ///< whose pipes they are
  TaskSet producers;              ///< that recorded something that it reads
  TaskSet ancestors;              ///< producers, theirs, and so on
  std::vector<PredictedPart> parts;
};

/// A group, by the scope that closes it at the latest.
struct PredictedGroup {
  std::size_t scope;
  bool open = true;
};

/// Why a submission would make the outcome depend on the schedule; empty: it does not.
struct Hazards {
  TaskSet unordered;       ///< tasks that touch the same bytes, one of the two writing, at any time
  bool undefined = false;  ///< it reads a byte that nothing has written

  [[nodiscard]] bool any() const { return undefined || unordered.any(); }
};

class Interpreter {
 public:
  explicit Interpreter(const std::vector<uint64_t>& external_bytes);

  /// Does one step; does nothing once a call was refused. Throws std::logic_error for a program
  /// that is no program: numbers of tensors that do not exist, too many tasks, unmatched scopes.
  void apply(const Step& step);

  /// What a submission would come to, before it is applied. Requires that it is not refused.
  [[nodiscard]] Hazards hazards(const Submit& step) const;
  /// True when parts of the block task would touch what others of them write: a part writes only
  /// its share of each tensor, but nothing else of the task may lie in the same buffer.
  [[nodiscard]] bool parts_conflict(const Submit& step) const;
  /// The tasks that a reader of the tensor comes after.
  [[nodiscard]] TaskSet before_reader_of(uint32_t tensor) const;
  /// True when the tensor's handle is valid.
  [[nodiscard]] bool is_live(uint32_t tensor) const;
  /// True when it has memory; it may belong to a scope that has ended.
  [[nodiscard]] bool has_memory(uint32_t tensor) const;
  /// True when a task may name it: its handle is valid and its memory is there.
  [[nodiscard]] bool is_usable(uint32_t tensor) const;
  [[nodiscard]] bool is_defined(uint32_t tensor) const;

  [[nodiscard]] const std::vector<PlacedTensor>& tensors() const { return tensors_; }
  [[nodiscard]] const std::vector<Buffer>& buffers() const { return buffers_; }
  [[nodiscard]] const std::vector<PredictedTask>& tasks() const { return tasks_; }
  [[nodiscard]] const std::vector<PredictedGroup>& groups() const { return groups_; }
  [[nodiscard]] std::vector<uint32_t> open_groups() const;
  [[nodiscard]] const Pipes& pipes() const { return pipes_; }
  [[nodiscard]] const std::optional<Refusal>& refusal() const { return refusal_; }
  /// The fault of a kernel, which ends the run if nothing else has ended it before its task was
  /// submitted. What is submitted later may run or not, but not what comes after that task.
  [[nodiscard]] const std::optional<PredictedFault>& fault() const { return fault_; }
  /// The first submission whose outcome depends on the schedule, if any; or the use of a cluster
  /// whose outcome does, since it may have been allocated again or not; or what would end the run
  /// beside the fault of a kernel.
  [[nodiscard]] const std::optional<std::size_t>& hazard() const { return hazard_; }
  /// Scopes open, the outer one included.
  [[nodiscard]] std::size_t depth() const { return open_scopes_.size(); }

 private:
  void step(const ScopeBegin&);
  void step(const ScopeEnd&);
  void step(const Make& make);
  void step(const External& external);
  void step(const View& view);
  void step(const Reshape& reshape);
  void step(const Transpose& transpose);
  void step(const Submit& submit);
  void step(const Misuse& misuse);
  void step(const Allocate&);
  void step(const Free& free);

  [[nodiscard]] const PlacedTensor& placed(uint32_t tensor) const;
  void add_tensor(TensorModel model, uint32_t buffer);
  /// The tensor that a view, reshape or transpose is made of; nullptr when that is refused.
  const PlacedTensor* parent(const char* operation, uint32_t tensor);
  void refuse(std::string problem, std::optional<uint32_t> param = {});
  void close(uint32_t group);
  /// False, and refused, when the group is closed.
  bool accepts_group(uint32_t group);
  bool accepts_block(const Submit& submit);
  bool accepts(const Submit& submit);
  bool accepts(const Submit& submit, uint32_t param);
  bool accepts_pipes(const Submit& submit);
  [[nodiscard]] TaskSet producers_of(const Submit& submit) const;
  [[nodiscard]] TaskSet with_ancestors(const TaskSet& tasks) const;
  [[nodiscard]] uint64_t hash_of(uint64_t hash, const PlacedTensor& tensor,
                                 const Share& share) const;
  void execute(PredictedTask& task, uint32_t number, const Submit& submit);
  [[nodiscard]] uint64_t hash_of_pipes(const PredictedTask& task, uint32_t number,
                                       const Submit& submit, uint64_t hash);
  void note_accesses(const PredictedTask& task, uint32_t number);
  void write(const PredictedTask& task, const Share& share, uint64_t hash);

  std::vector<Buffer> buffers_;
  std::vector<PlacedTensor> tensors_;
  std::vector<PredictedTask> tasks_;
  std::vector<PredictedGroup> groups_;
  Pipes pipes_;
  std::optional<PredictedFault> fault_;
  std::set<uint32_t> closed_;  // since a group was opened last
  std::vector<bool> scope_is_open_;
  std::vector<std::size_t> open_scopes_;
  std::size_t steps_ = 0;  // applied
  std::optional<Refusal> refusal_;
  std::optional<std::size_t> hazard_;
};

/// The interpreter after all steps.
Interpreter interpret(const Program& program);

}  // namespace pto2::graphs
