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
  /// Of new buffers.
  [[nodiscard]] guard::RedZones zones() const { return zones_; }

  /// The next task to be submitted has this serial number.
  void scope_begin(uint64_t next_serial);
  /// Requires an open scope.
  void scope_end();
  [[nodiscard]] uint32_t open_scopes() const { return static_cast<uint32_t>(scopes_.size()); }

  /// Checks the parameters, and notes what later steps need of them: whose results the task reads,
  /// an INOUT parameter taking the place of what it covers, and whose buffers it uses without
  /// waiting for them. False: its `refusal` says why.
  [[nodiscard]] bool resolve(Submission& task);

  /// The task has been admitted.
  void enter(const Submission& task, TaskId id) { note(id) = {0, task.depth}; }
  /// A producer was found consumed. Nobody needs to wait for it, and where the tasks of a ring are
  /// of one scope after the other, it would have retired in a run without others that are late
  /// (requirement.hpp): then it is not named again. Not while a graph is replayed: what is played
  /// of it afterwards names whom it named then.
  void note_consumed(TaskId id) {
    if (ring_of(id) < innermost_ring_) note(id).last_consumer = consumed;
  }
  /// Lays the new outputs out one behind the other, from `address` on, and makes the task the
  /// producer of what it writes. Calls visit(i, record) for each parameter, with null for a scalar.
  /// Requires that the map has reserved `task.inserts` entries.
  template <class Visitor>
  void place(const Submission& task, TaskId id, uint64_t address, Visitor&& visit) {
    address += zones_.in_front;
    const auto count = static_cast<uint32_t>(task.params.size());
    for (uint32_t i = 0; i < count; ++i) {
      const PTOParamType type = task.params[i].type;
      if (type == PTOParamType::SCALAR) {
        visit(i, nullptr);
        continue;
      }
      TensorRecord& tensor = *task.tensors[i];
      // A new output is named once, so the others have had their addresses before.
      if (!tensor.has_address()) {
        TensorTable::set_buffer(tensor, address, {id, task.serial, task.depth});
        address += packed_output_bytes(tensor.region.end + zones_.behind);
      }
      visit(i, &tensor);
      if (!writes(type)) continue;
      const bool inserted = map_.insert(*tensor.writes, tensor.region, id);
      PTO2_INVARIANT("TM-I5", inserted);
    }
  }

  /// After a run that ended well, with so many tasks ever submitted to each ring: lets the next one
  /// have the memory.
  void keep_memory(std::span<const uint64_t> tasks) {
    for (std::size_t ring = 0; ring < tasks.size(); ++ring) {
      notes_[ring].keep_for_the_next(tasks[ring]);
    }
    map_.keep_memory();
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
  bool resolve_param(Submission& task, uint32_t i);
  bool resolve_pipe(Submission& task, uint32_t i);
  bool resolve_new_output(Submission& task, uint32_t i) const;
  static bool refuse_type(Submission& task, uint32_t i);
  bool refuse_handle(Submission& task, uint32_t i) const;
  static bool refuse_no_memory(Submission& task, uint32_t i);
  static bool refuse_memory(Submission& task, uint32_t i);
  void find_producers(Submission& task, const TensorRecord& tensor, Access access);
  void find_counted_producers(Submission& task, const TensorRecord& tensor, Access access);
  void find_owners(Submission& task);
  [[nodiscard]] static bool is_among_producers(const Submission& task, TaskId id);
  [[nodiscard]] bool is_noted_producer(const Submission& task, TaskId id);
  [[nodiscard]] bool is_known_producer(const Submission& task, TaskId id);
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

}  // namespace pto2
