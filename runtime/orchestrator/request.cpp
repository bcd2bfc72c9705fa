#include "runtime/orchestrator/request.hpp"

#include <fmt/core.h>

namespace pto2 {

namespace {

bool refuse(const std::string& problem, const char* hint, Submission& task) {
  task.refusal = {ErrorCode::bad_submission,
                  fmt::format("submission {}: {}", task.serial - 1, problem), hint};
  return false;
}

}  // namespace

[[gnu::noinline]] bool Intake::refuse_kernel(const Request& request, Submission& task) {
  return refuse(fmt::format("there is no kernel {}", request.kernel_id),
                "add it: to KERNELS of kernel_config.py, or to the kernels folder as ID_NAME.so",
                task);
}

void Intake::refuse_late(Submission& task) {
  refuse("the orchestration is done",
         "submit before pto2_rt_orchestration_done, and end no scope that you have not begun",
         task);
}

[[gnu::noinline]] bool Intake::refuse_params(const Request& request, uint32_t most,
                                             const char* beside, Submission& task) {
  const auto number = static_cast<int32_t>(request.params.size());
  const bool is_null = request.params.data() == nullptr;
  if (is_null || number < 0) {
    return refuse(fmt::format("{} parameters in {}", number,
                              is_null ? "no array (its address is null)" : "an array"),
                  "pass an array of PTOParam and the number of its elements", task);
  }
  return refuse(fmt::format("{} parameters, at most {} are supported{}", number, most, beside),
                "pass several values through one tensor", task);
}

RunError Intake::refuse_cluster(const char* call, int32_t cluster, uint64_t submissions) const {
  return {
      ErrorCode::bad_submission,
      fmt::format("{}: {} (before submission {})", call, groups_.why_closed(cluster), submissions),
      "use what pto2_rt_allocate_cluster returned, until it is freed or its scope ends"};
}

/// The parts of a block task, and the clusters of either kind.
[[gnu::noinline]] bool Intake::check_place(const Request& request, Submission& task) const {
  const Where& where = *request.where;
  if (!where.is_block) {
    const int32_t cluster = where.clusters.front();
    if (groups_.is_open(cluster)) return true;
    task.refusal = refuse_cluster("submit_task_clustered", cluster, task.serial - 1);
    return false;
  }
  const uint32_t block_dim = where.block_dim;
  if (block_dim == 0 || block_dim > max_block_dim) {
    return refuse(fmt::format("a block task of {} parts", static_cast<int32_t>(block_dim)),
                  "give pto2_rt_submit_block_task a block_dim of 1..65535", task);
  }
  if (request.params.size() > max_block_params) {
    return refuse_params(request, max_block_params, " beside block_dim and block_id", task);
  }
  for (uint32_t part = 0; part < where.clusters.size(); ++part) {
    const int32_t cluster = where.clusters[part];
    if (groups_.is_open(cluster)) continue;
    return refuse(fmt::format("part {}: {}", part, groups_.why_closed(cluster)),
                  "give each part an id that pto2_rt_allocate_cluster returned, until it is freed "
                  "or its scope ends",
                  task);
  }
  return true;
}

[[gnu::noinline]] bool Intake::check_type(const Request& request, Submission& task) const {
  const bool is_of_cluster = static_cast<uint32_t>(request.worker_type) < cluster_core_types;
  return is_of_cluster ? check_declared(request, task) : check_rare_type(request, task);
}

/// A kernel that was compiled for cubes does not run on vector cores, nor the other way round.
bool Intake::check_declared(const Request& request, Submission& task) const {
  const auto id = static_cast<uint32_t>(request.kernel_id);
  const auto type = static_cast<CoreType>(request.worker_type);
  if (id >= declared_.size()) return true;
  const DeclaredKernel& kernel = declared_[id];
  if (kernel.type.value_or(type) == type) return true;
  return refuse(
      fmt::format("kernel {} ({}) is for {} cores{}, but the task for {} cores", id, kernel.name,
                  core_type_name(*kernel.type),
                  kernel.where.empty() ? "" : " (" + kernel.where + ")", core_type_name(type)),
      type == CoreType::vector ? "submit it with PTO2_WORKER_CUBE, or declare it as aiv"
                               : "submit it with PTO2_WORKER_VECTOR, or declare it as aic",
      task);
}

/// A worker type that is neither cube nor vector may be one that nobody runs.
bool Intake::check_rare_type(const Request& request, Submission& task) const {
  if (static_cast<uint32_t>(request.worker_type) >= core_types) {
    return refuse(fmt::format("{} is no worker type", request.worker_type),
                  "use PTO2_WORKER_CUBE, PTO2_WORKER_VECTOR, PTO2_WORKER_AI_CPU or "
                  "PTO2_WORKER_ACCELERATOR",
                  task);
  }
  if (request.where != nullptr && !request.where->clusters.empty()) {
    return refuse(
        "a pinned task for something else than a cube or a vector core, but a cluster has "
        "no others",
        "submit it with cluster -1, or for PTO2_WORKER_CUBE or PTO2_WORKER_VECTOR", task);
  }
  if (!chip_.runs(static_cast<CoreType>(request.worker_type))) {
    return refuse("a task for an accelerator, but the chip has none",
                  "use --accelerators 1 or more, or a chip file with `accelerators`", task);
  }
  return true;
}

/// The clusters have open groups.
[[gnu::noinline]] void Intake::place(const Where& where, Submission& task) const {
  task.is_block = where.is_block;
  task.block_dim = where.block_dim;
  if (where.clusters.empty()) return;
  task.pinned_parts.clear();
  for (const int32_t cluster : where.clusters) {
    const ClusterId id(static_cast<uint32_t>(cluster));
    task.pinned_parts.push_back({id, groups_.group_of(id)});
  }
  task.cluster = static_cast<int16_t>(where.clusters.front());
}

}  // namespace pto2
