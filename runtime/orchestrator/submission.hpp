/// One submission under way: what the orchestration asked for, and what follows from it.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/admission.hpp"
#include "runtime/chip/ai_core.hpp"
#include "runtime/chip/chip.hpp"
#include "runtime/chip/task_arguments.hpp"
#include "runtime/include/pto_orchestration_api.h"
#include "runtime/run/error.hpp"
#include "runtime/run/pipe_fault.hpp"
#include "runtime/tensormap/tensor_table.hpp"

namespace pto2 {

inline bool is_pipe(PTOParamType type) {
  return type == PTOParamType::PIPE_OUT || type == PTOParamType::PIPE_IN;
}
/// The tag of a parameter that is a pipe.
inline int32_t pipe_tag(const PTOParam& param) {
  return static_cast<int32_t>(param.tensor.id & 0xffffffffU);
}
/// Of tensors. A pipe is read and written, whichever side of it is named: see resolve_pipe().
inline bool reads(PTOParamType type) {
  return type != PTOParamType::OUTPUT && type != PTOParamType::SCALAR;
}
inline bool writes(PTOParamType type) {
  return type != PTOParamType::INPUT && type != PTOParamType::SCALAR;
}

/// The cluster of a part, and the group that holds it.
struct PinnedPart {
  ClusterId cluster;
  uint32_t group;
};

/// What a block task, or one that is pinned, has besides.
struct Placement {
  uint32_t block_dim = 0;                ///< parts of a block task; only if it is one
  std::vector<PinnedPart> pinned_parts;  ///< one of a task; only with a cluster, that of part 0
};

/// A tensor that the task allocates.
struct NewOutput {
  uint32_t param;   ///< the number of the parameter
  uint64_t offset;  ///< of its buffer in what the task takes of the heap
};

/// A parameter that is a pipe.
struct PipeParam {
  uint32_t index;  ///< of the parameter
  Pipe* pipe;
};

/// Ids of tasks. What std::vector does, but two of them are emptied, counted and handed on for each
/// submission: it knows its size.
class TaskIds {
 public:
  void clear() { size_ = 0; }
  void push_back(TaskId id) {
    if (size_ == room_) [[unlikely]]
      enlarge();
    ids_[size_++] = id;
  }
  void append(std::span<const TaskId> ids) {
    for (const TaskId id : ids) push_back(id);
  }
  /// Takes those out that forget(id) names.
  template <class Forget>
  void erase_if(Forget&& forget) {
    size_ = static_cast<uint32_t>(std::remove_if(begin(), end(), forget) - begin());
  }

  [[nodiscard]] uint32_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] TaskId* begin() { return ids_.data(); }
  [[nodiscard]] TaskId* end() { return ids_.data() + size_; }
  [[nodiscard]] const TaskId* begin() const { return ids_.data(); }
  [[nodiscard]] const TaskId* end() const { return ids_.data() + size_; }
  [[nodiscard]] TaskId operator[](std::size_t i) const { return ids_[i]; }
  [[nodiscard]] bool contains(TaskId id) const { return std::find(begin(), end(), id) != end(); }

 private:
  [[gnu::noinline]] void enlarge() {
    ids_.resize(2 * ids_.size() + 16);
    room_ = static_cast<uint32_t>(ids_.size());
  }

  std::vector<TaskId> ids_;  // as many as there is room for
  uint32_t room_ = 0;
  uint32_t size_ = 0;
};

/// Up to one thing for each parameter. Making it writes nothing, and it is emptied by one store.
template <class T>
class ParamList {
 public:
  void clear() { size_ = 0; }
  void push_back(T item) { items_[size_++] = item; }
  [[nodiscard]] uint32_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] T* begin() { return items_.data(); }
  [[nodiscard]] T* end() { return items_.data() + size_; }
  [[nodiscard]] const T* begin() const { return items_.data(); }
  [[nodiscard]] const T* end() const { return items_.data() + size_; }

 private:
  std::array<T, max_params> items_;
  uint32_t size_ = 0;
};

/// What a submission takes of its ring, and of the TensorMap.
struct Needs {
  uint64_t heap_bytes = 0;
  uint32_t nodes = 0;       ///< of the dependency pool: one for each producer and owner
  uint32_t inserts = 0;     ///< writes that the TensorMap is told of
  uint64_t live_nodes = 0;  ///< of the nodes, those that count in the best case, if that is asked
};

/// One object serves all submissions of a run, so that its vectors keep their memory: a scratchpad.
/// Whoever fills a field in clears it first, so nothing is left of the former submission.
struct Submission : TaskRoute, Placement {
  // Its place in the run.
  uint64_t serial = 0;   ///< over all rings, from 1
  bool counted = false;  ///< in counting mode: it is not executed
  RingId ring;
  TaskId id = no_task;  ///< that it has if it becomes a task; by who resolves its parameters
  uint32_t depth = 0;   ///< of its scope, 0 the outermost; it changes with the scopes only

  // What was asked for, by Intake::accept(), with the base classes.
  uint32_t kernel_id = 0;
  KernelEntry kernel = nullptr;
  std::span<const PTOParam> params;

  // What the parameters ask for, by Dataflow::resolve().
  std::array<TensorRecord*, max_params> tensors;
  ParamList<NewOutput> outputs;        ///< the new ones
  ParamList<TensorRecord*> rewritten;  ///< what else it writes, which has its memory
  ParamList<TaskId> former_owners;     ///< of the memory that it writes unread
  uint64_t heap_bytes = 0;
  std::vector<PipeParam> pipes;  ///< if it has_pipes
  TaskArguments arguments;       ///< where they lie; not of a task that is counted

  // What it depends on, by Dataflow::find_producers() and find_owners().
  TaskIds producers;
  TaskIds owners;           ///< of buffers that it uses, if they are no producers
  uint64_t live_nodes = 0;  ///< of both, those that can be live in the best case, if that is asked

  RunError refusal;  ///< why it is refused, if it is

  /// A block task, or pinned, or both.
  [[nodiscard]] bool is_placed() const { return is_block || is_pinned(); }
  /// Writes that the TensorMap is told of.
  [[nodiscard]] uint32_t inserts() const { return outputs.size() + rewritten.size(); }
  [[nodiscard]] uint32_t nodes() const { return producers.size() + owners.size(); }
  [[nodiscard]] Needs needs() const { return {heap_bytes, nodes(), inserts(), live_nodes}; }
  /// It names neither tensors nor pipes, as far as is known.
  void name_nothing() {
    heap_bytes = 0;
    outputs.clear();
    rewritten.clear();
    former_owners.clear();
    has_pipes = false;
    producers.clear();
    owners.clear();
    live_nodes = 0;
  }
  [[nodiscard]] Demand demand() const { return {ring, heap_bytes, producers, owners}; }
};

}  // namespace pto2
