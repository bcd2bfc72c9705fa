/// From tensors to producers: what the parameters of a submission mean.
///
/// Knows the tensors, the pipes and the scopes they live in, who wrote which part of which buffer
/// (TensorMap), and where each task alive was submitted. It is told which tasks are alive and where
/// a task's buffer is; it neither waits nor publishes.
///
/// Used by one thread, the orchestrator.
#pragma once

#include <array>
#include <vector>

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
  using Watermarks = std::array<uint64_t, max_rings>;

  /// `alive`, the submitter's view of the watermarks, outlives this object. Tensor handles start at
  /// `first_generation`.
  Dataflow(const DeviceConfig& config, const Watermarks& alive, uint32_t first_generation);

  [[nodiscard]] TensorTable& tensors() { return tensors_; }
  [[nodiscard]] PipeTable& pipes() { return pipes_; }
  [[nodiscard]] TensorMap& map() { return map_; }
  [[nodiscard]] const TensorMap& map() const { return map_; }

  /// The next task to be submitted has this serial number.
  void scope_begin(uint64_t next_serial);
  /// Requires an open scope.
  void scope_end();
  [[nodiscard]] uint32_t open_scopes() const { return static_cast<uint32_t>(scopes_.size()); }

  /// Checks the parameters, and notes what later steps need of them. False: its
  /// `refusal` says why.
  [[nodiscard]] bool check(Submission& task);
  /// Whose results the task reads. An INOUT parameter takes the place of what it covers.
  void find_producers(Submission& task);
  /// Whose buffers it uses without waiting for them.
  void find_owners(Submission& task);

  /// The task has been admitted.
  void enter(const Submission& task, TaskId id) { note(id) = {task.serial, 0, task.depth}; }
  /// Lays the new outputs out one behind the other, from `address` on.
  void allocate_outputs(const Submission& task, TaskId id, uint64_t address);
  /// Requires that the map has reserved `task.inserts` entries.
  void insert_outputs(const Submission& task, TaskId id);

  /// Depth of the scope of a task that is alive.
  [[nodiscard]] uint32_t depth_of(TaskId id) const { return note(id).depth; }

 private:
  /// What is kept per slot.
  struct TaskNote {
    uint64_t serial;         ///< over all rings, from 1
    uint64_t last_consumer;  ///< serial of the last task that named this one as producer
    uint32_t depth;          ///< of its scope
  };

  [[nodiscard]] TaskNote& note(TaskId id) const {
    return notes_[ring_of(id).value][local_of(id) & (window_ - 1)];
  }
  bool check_param(Submission& task, uint32_t i);
  bool check_pipe(Submission& task, uint32_t i);
  bool check_memory(Submission& task, uint32_t i) const;
  bool check_new_output(Submission& task, uint32_t i) const;
  [[nodiscard]] bool is_known_producer(const Submission& task, TaskId id);
  [[nodiscard]] bool scope_is_open(TaskId id) const;

  const Watermarks& alive_;
  uint32_t window_;
  guard::RedZones zones_;  // of new buffers
  TensorTable tensors_;
  PipeTable pipes_;
  TensorMap map_;
  std::vector<uint64_t> scopes_;  // serial of the first task in each that is open
  std::array<MappedArray<TaskNote>, max_rings> notes_;
};

}  // namespace pto2
