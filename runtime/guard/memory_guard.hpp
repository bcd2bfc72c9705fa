/// The guard of a run's memory: whether kernels write where they may, and with `values`, what they
/// write.
///
/// The orchestrator opens each task before anybody else knows it; then whoever runs its kernel, or
/// a part of it, runs it under the guard:
///
///   begin   the red zones of its buffers are whole; what it may not write is copied
///   end     the red zones are whole still, and nothing differs from the copy; with `values`, the
///           last part of a task looks through what the task has written
///
/// A zone that is damaged when a kernel begins, or when its buffer is used again, is told of as
/// that of a kernel that is not known.
///
/// Both exclude those of all other kernels, so that what is copied and compared is written by
/// nobody (running_kernels.hpp). Everything else runs at the same time.
#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "core/task_id.hpp"
#include "runtime/chip/kernel_guard.hpp"
#include "runtime/executors/mapped_array.hpp"
#include "runtime/guard/guarded_task.hpp"
#include "runtime/guard/heap_buffers.hpp"
#include "runtime/guard/running_kernels.hpp"
#include "runtime/guard/unwritten_outputs.hpp"

namespace pto2::guard {

/// A task that is submitted, as the orchestrator knows it.
struct OpenedTask {
  TaskId id;
  uint16_t kernel;
  std::span<const PTOParam> params;
  std::span<const TensorRecord* const> tensors;  ///< by parameter; of those that are tensors
  uint32_t parts;                                ///< 1 if it is no block task
  uint64_t heap_begin;                           ///< address of its share of the heap
  uint64_t heap_bytes;
};

class MemoryGuard {
 public:
  /// For rings of `window` slots, and so many workers.
  MemoryGuard(uint32_t rings, uint32_t window, uint32_t workers, bool values);

  /// What runs the kernels of a worker.
  [[nodiscard]] KernelGuard& of(uint32_t worker) { return workers_[worker]; }

  // The orchestrator's.

  /// Before the task is published, when its buffers have their addresses. The finding is one of the
  /// buffers that were in their place. Throws std::bad_alloc.
  [[nodiscard]] std::optional<GuardFinding> open(const OpenedTask& task);
  /// When all tasks have completed: of the buffers that are left.
  [[nodiscard]] std::optional<GuardFinding> close();

 private:
  class Worker : public KernelGuard {
   public:
    Worker(MemoryGuard& guard, uint32_t number) : guard_(guard), number_(number) {}
    GuardFinding run(TaskId task, KernelEntry kernel, int64_t* args) override;

   private:
    class Stay;
    MemoryGuard& guard_;
    uint32_t number_;
    WatchedKernel kernel_;
  };

  [[nodiscard]] GuardedTask*& slot_of(TaskId id) const {
    return slots_[ring_of(id).value * window_ + (local_of(id) & (window_ - 1))];
  }
  [[nodiscard]] std::optional<GuardFinding> release(uint64_t begin, uint64_t bytes);
  void add_param(GuardedTask& guarded, const OpenedTask& task, uint32_t index);
  [[nodiscard]] GuardFinding begin(GuardedTask& task, WatchedKernel& kernel);
  [[nodiscard]] GuardFinding end(GuardedTask& task, const WatchedKernel& kernel, uint32_t worker);

  uint64_t window_;
  bool values_;
  HeapBuffers buffers_;              // the orchestrator's
  std::deque<GuardedTask> tasks_;    // one for each slot that was used
  MappedArray<GuardedTask*> slots_;  // by ring and slot
  std::vector<Worker> workers_;
  std::mutex mutex_;
  RunningKernels running_;      // under the mutex
  UnwrittenOutputs unwritten_;  // under the mutex
};

}  // namespace pto2::guard
