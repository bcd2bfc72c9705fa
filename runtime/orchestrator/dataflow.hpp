/// From tensors to producers: what the parameters of a submission mean.
///
/// Knows the tensors, the pipes and the scopes they live in, who wrote which part of which buffer
/// (TensorMap), and where each task alive was submitted. It is told where a task's buffer is; it
/// neither waits nor publishes.
///
/// Used by one thread, the orchestrator.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "core/assert.hpp"
#include "core/heap_layout.hpp"
#include "runtime/executors/mapped_array.hpp"
#include "runtime/guard/red_zones.hpp"
#include "runtime/orchestrator/pipe_table.hpp"
#include "runtime/orchestrator/submission.hpp"
#include "runtime/run/config.hpp"
#include "runtime/run/error.hpp"
#include "runtime/tensormap/tensor_map.hpp"
#include "runtime/tensormap/tensor_table.hpp"

namespace pto2 {

class Dataflow {
 public:
  /// Tensor handles start at `first_generation`; of `arrays` it is known where they end.
  Dataflow(const DeviceConfig& config, uint32_t first_generation,
           std::span<const CallerArray> arrays = {});

  [[nodiscard]] TensorTable& tensors() { return tensors_; }
  [[nodiscard]] PipeTable& pipes() { return pipes_; }
  [[nodiscard]] TensorMap& map() { return map_; }
  [[nodiscard]] const TensorMap& map() const { return map_; }

  /// The next task to be submitted has this serial number.
  void scope_begin(uint64_t next_serial);
  /// Requires an open scope.
  void scope_end();
  [[nodiscard]] uint32_t open_scopes() const { return static_cast<uint32_t>(scopes_.size()); }

  /// Checks the parameters, and notes what later steps need of them: whose results the task reads,
  /// an INOUT parameter taking the place of what it covers, and whose buffers it uses without
  /// waiting for them. False: its `refusal` says why.
  [[nodiscard]] bool resolve(Submission& task);
  /// The same, which calls show(task, i, record) for each tensor but the new outputs, show(task, i,
  /// value) for each scalar, and meet(task, id) for each producer and owner as it is found.
  /// `counted`: what the submission says.
  template <bool counted, class Show, class Meet>
  [[nodiscard]] bool resolve(Submission& task, Show show, Meet meet);

  /// The task has been admitted.
  void enter(const Submission& task, TaskId id) { note(id) = {0, task.depth}; }
  /// A producer was found consumed. Nobody needs to wait for it, and where the tasks of a ring are
  /// of one scope after the other, it would have retired in a run without others that are late
  /// (requirement.hpp): then it is not named again. Not while a graph is replayed: what is played
  /// of it afterwards names whom it named then.
  void note_consumed(TaskId id) {
    if (ring_of(id) < innermost_ring_) note(id).last_consumer = consumed;
  }
  /// Gives the new outputs their places in what begins at `address`, and makes the task the
  /// producer of what it writes. Calls show(task, i, record) for each new output. Requires that the
  /// map has reserved `task.inserts()` entries.
  template <class Show>
  [[gnu::always_inline]] void place(const Submission& task, const Needs& needs, TaskId id,
                                    uint64_t address, Show show) {
    if (needs.inserts == 0) return;
    TensorMap::TaskWrites& of_task = map_.begin_inserts(id, needs.inserts);
    for (const NewOutput& output : task.outputs) {
      TensorRecord& tensor = *task.tensors[output.param];
      TensorTable::set_buffer(tensor, address + output.offset, {id, task.serial, task.depth});
      show(task, output.param, tensor);
      TensorMap::insert_owner(of_task);
    }
    for (const TensorRecord* tensor : task.rewritten) {
      map_.insert(of_task, *tensor->writes, tensor->region,
                  [&](const BufferWrites& buffer) { return is_behind_writer(task, buffer); });
    }
  }

  /// After a run that ended well, with so many tasks ever submitted to each ring: lets the next one
  /// have the memory.
  void keep_memory(std::span<const uint64_t> tasks) {
    for (std::size_t ring = 0; ring < tasks.size(); ++ring) {
      notes_[ring].keep_for_the_next(tasks[ring]);
    }
    map_.keep_memory();
    tensors_.keep_memory();
  }

  /// Depth of the scope of a task that is alive.
  [[nodiscard]] uint32_t depth_of(TaskId id) const { return note(id).depth; }

 private:
  /// No serial, above them all.
  static constexpr uint64_t consumed = ~uint64_t{0};
  /// What is kept per slot.
  struct TaskNote {
    uint64_t last_consumer;  ///< serial of the last task that named this one, or consumed
    uint32_t depth;          ///< of its scope
  };

  [[nodiscard]] TaskNote& note(TaskId id) const {
    return first_note_[ring_of(id).value][static_cast<uint32_t>(id.value) & slot_mask_];
  }
  template <bool counted, class Show, class Meet>
  bool resolve_param(Submission& task, uint32_t i, const PTOParam& param, Show show, Meet meet);
  bool resolve_special(Submission& task, uint32_t i);
  bool resolve_pipe(Submission& task, uint32_t i);
  bool resolve_new_output(Submission& task, uint32_t i) const;
  static bool refuse_type(Submission& task, uint32_t i);
  bool refuse_handle(Submission& task, uint32_t i) const;
  static bool refuse_no_memory(Submission& task, uint32_t i);
  static bool refuse_memory(Submission& task, uint32_t i);
  template <bool counted, class Meet>
  void find_producers(Submission& task, const TensorRecord& tensor, Access access, Meet meet);
  void find_counted_producers(Submission& task, const TensorRecord& tensor, Access access);
  template <bool counted, class Meet>
  void find_owners(Submission& task, Meet meet);
  [[nodiscard]] static bool is_among_producers(const Submission& task, TaskId id);
  [[nodiscard]] bool is_noted_producer(const Submission& task, TaskId id);
  [[nodiscard]] bool is_behind(const Submission& task, TaskId id) const;
  [[nodiscard]] bool is_behind_writer(const Submission& task, const BufferWrites& buffer) const;
  [[nodiscard]] bool scope_is_open(const BufferOwner& owner) const {
    return owner.depth < scopes_.size() && scopes_[owner.depth] <= owner.serial;
  }

  uint32_t slot_mask_;     // window - 1
  RingId innermost_ring_;  // of all scopes from some depth on
  guard::RedZones zones_;  // of new buffers
  TensorTable tensors_;
  PipeTable pipes_;
  TensorMap map_;
  std::vector<uint64_t> scopes_;  // serial of the first task in each that is open
  std::array<MappedArray<TaskNote>, max_rings> notes_;
  std::array<TaskNote*, max_rings> first_note_{};  // of each ring
};

/// Notes that the submission has met this producer. True: it had before, or there is nothing to
/// wait for.
inline bool Dataflow::is_noted_producer(const Submission& task, TaskId id) {
  uint64_t& last = note(id).last_consumer;
  if (last >= task.serial) return true;
  last = task.serial;
  return false;
}

/// Whoever names a buffer of the runtime holds the task that allocated it, so that the buffer stays
/// until the last of them has completed. Who reads has an edge to that task already: its write is
/// never forgotten (TM-I4).
template <bool counted, class Meet>
void Dataflow::find_owners(Submission& task, Meet meet) {
  for (const TaskId owner : task.former_owners) {
    if (counted ? is_among_producers(task, owner) : is_noted_producer(task, owner)) continue;
    meet(task, owner);
    task.owners.push_back(owner);
  }
}

template <bool counted, class Show, class Meet>
inline bool Dataflow::resolve(Submission& task, Show show, Meet meet) {
  task.name_nothing();
  const auto count = static_cast<uint32_t>(task.params.size());
  const PTOParam* param = task.params.data();
  for (uint32_t i = 0; i < count; ++i, ++param) {
    if (!resolve_param<counted>(task, i, *param, show, meet)) [[unlikely]]
      return false;
  }
  if (!task.former_owners.empty()) find_owners<counted>(task, meet);
  return true;
}

template <bool counted, class Show, class Meet>
[[gnu::always_inline]] inline bool Dataflow::resolve_param(Submission& task, uint32_t i,
                                                           const PTOParam& param, Show show,
                                                           Meet meet) {
  const PTOParamType type = param.type;
  if (type == PTOParamType::SCALAR) {
    show(task, i, param.scalar);
    return true;
  }
  if (static_cast<uint32_t>(type) > static_cast<uint32_t>(PTOParamType::SCALAR)) [[unlikely]] {
    if (!resolve_special(task, i)) return false;
    show(task, i, *task.tensors[i]);
    find_producers<counted>(task, *task.tensors[i], Access::inout, meet);
    return true;
  }
  TensorRecord* const tensor = tensors_.find(param.tensor.id);
  task.tensors[i] = tensor;
  if (tensor == nullptr) [[unlikely]]
    return refuse_handle(task, i);
  if (!tensor->lasts) {
    if (!tensor->has_address()) return resolve_new_output(task, i);
    if (!scope_is_open(tensor->owner)) [[unlikely]]
      return refuse_memory(task, i);
  }
  show(task, i, *tensor);
  if (writes(type)) task.rewritten.push_back(tensor);
  if (reads(type)) {
    find_producers<counted>(task, *tensor, writes(type) ? Access::inout : Access::input, meet);
  } else if (!tensor->external) {
    task.former_owners.push_back(tensor->owner.task);
  }
  return true;
}

/// A tensor without memory gets it with the task that has it as OUTPUT.
inline bool Dataflow::resolve_new_output(Submission& task, uint32_t i) const {
  TensorRecord& tensor = *task.tensors[i];
  const bool twice = tensor.owner.serial == task.serial;
  if (task.params[i].type != PTOParamType::OUTPUT || twice) [[unlikely]]
    return refuse_no_memory(task, i);
  tensor.owner.serial = task.serial;
  const uint64_t bytes = tensor.region.end;  // a root, so it is all of its buffer
  const uint64_t offset = task.outputs.empty() ? zones_.in_front : task.heap_bytes;
  task.outputs.push_back({i, offset});
  task.heap_bytes = packed_bytes_with(offset, bytes + zones_.behind);
  return true;
}

template <bool counted, class Meet>
inline void Dataflow::find_producers(Submission& task, const TensorRecord& tensor, Access access,
                                     Meet meet) {
  if constexpr (counted) {
    find_counted_producers(task, tensor, access);
  } else {
    map_.lookup(*tensor.writes, tensor.region, access, task.id,
                [this, &task, meet](const Match& match) {
                  if (is_noted_producer(task, match.producer)) return;
                  meet(task, match.producer);
                  task.producers.push_back(match.producer);
                });
  }
}

}  // namespace pto2
