/// What the orchestration asks for when it submits, and whether it can be had.
#pragma once

#include <cstdint>
#include <span>

#include "runtime/orchestrator/cluster_groups.hpp"
#include "runtime/orchestrator/declared_kernel.hpp"
#include "runtime/orchestrator/submission.hpp"
#include "runtime/run/config.hpp"
#include "runtime/run/error.hpp"

namespace pto2 {

/// Where a task is to run that is a block task, or pinned, or both.
struct Where {
  bool is_block = false;              ///< a block task
  uint32_t block_dim = 0;             ///< its parts; only if it is one
  std::span<const int32_t> clusters;  ///< of the task, or of each part; empty: on any cores
};

/// One call that submits. It lasts as long as the call.
struct Request {
  int32_t kernel_id;
  int32_t worker_type;
  std::span<const PTOParam> params;
  const Where* where = nullptr;  ///< null: one task, on any core

  /// The same in memory of its own, for functions apart: so the request itself can stay in
  /// registers. Field by field, because GCC copies a whole from the memory that it keeps it in
  /// then.
  [[nodiscard, gnu::always_inline]] Request apart() const {
    return {kernel_id, worker_type, {params.data(), params.size()}, where};
  }
};

/// Takes requests in: refuses those that nobody can serve, and starts a submission for the others.
/// What their parameters mean is the affair of Dataflow.
class Intake {
 public:
  /// All of them outlive this object. Kernels that `declared` has, by id, run on one type of core.
  Intake(std::span<const KernelEntry> kernels, std::span<const DeclaredKernel> declared,
         const Chip& chip, const ClusterGroups& groups)
      : kernels_(kernels),
        declared_(declared),
        first_rare_type_(declared.empty() ? cluster_core_types : 0),
        chip_(chip),
        groups_(groups) {}

  /// Whatever the request decides of the task, whose serial number is known. False: its `refusal`
  /// says why it is none.
  [[nodiscard, gnu::always_inline]] bool accept(const Request& request, Submission& task) const {
    if (request.where != nullptr && !check_place(request.apart(), task)) [[unlikely]]
      return false;
    const auto kernel = static_cast<uint32_t>(request.kernel_id);
    if (kernel >= kernels_.size() || kernels_[kernel] == nullptr) [[unlikely]]
      return refuse_kernel(request.apart(), task);
    const KernelEntry entry = kernels_[kernel];
    if (static_cast<uint32_t>(request.worker_type) >= first_rare_type_ &&
        !check_type(request.apart(), task)) [[unlikely]] {
      return false;
    }
    const std::size_t count = request.params.size();
    if (count > max_params || (count != 0 && request.params.data() == nullptr)) [[unlikely]]
      return refuse_params(request.apart(), max_params, "", task);
    task.params = request.params;
    task.kernel_id = kernel;
    task.kernel = entry;
    static_cast<TaskRoute&>(task) = {.type = static_cast<CoreType>(request.worker_type)};
    if (request.where != nullptr) [[unlikely]]
      place(*request.where, task);
    return true;
  }
  /// The same, for a submission when none may come any more.
  static void refuse_late(Submission& task);
  [[nodiscard]] std::span<const KernelEntry> kernels() const { return kernels_; }
  /// For a call that names a cluster without an open group, after so many submissions.
  [[nodiscard]] RunError refuse_cluster(const char* call, int32_t cluster,
                                        uint64_t submissions) const;

 private:
  // Apart from accept(), which every submission passes.
  static bool refuse_kernel(const Request& request, Submission& task);
  /// For parameters that are too many, fewer than none, or nowhere.
  static bool refuse_params(const Request& request, uint32_t most, const char* beside,
                            Submission& task);
  bool check_place(const Request& request, Submission& task) const;
  bool check_type(const Request& request, Submission& task) const;
  bool check_declared(const Request& request, Submission& task) const;
  bool check_rare_type(const Request& request, Submission& task) const;
  void place(const Where& where, Submission& task) const;

  std::span<const KernelEntry> kernels_;
  std::span<const DeclaredKernel> declared_;
  uint32_t first_rare_type_;  // from this type on there is more to look at
  const Chip& chip_;
  const ClusterGroups& groups_;
};

}  // namespace pto2
