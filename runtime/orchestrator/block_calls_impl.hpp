/// The functions of the orchestration API that are about block tasks.
#pragma once

#include <fmt/core.h>

#include "runtime/orchestrator/orchestrator.hpp"

namespace pto2 {

/// False: the run has failed.
template <executors::ExecutionPolicy P, template <class> class F>
bool Orchestrator<P, F>::check_block(const PTOParam* params, uint32_t count, uint32_t block_dim,
                                     const int32_t* clusters) {
  if (block_dim == 0 || block_dim > max_block_dim) {
    return refuse(fmt::format("a block task of {} parts", static_cast<int32_t>(block_dim)),
                  "give pto2_rt_submit_block_task a block_dim of 1..65535");
  }
  if (count > max_block_params) {
    return refuse_params(params, count, max_block_params, " beside block_dim and block_id");
  }
  for (uint32_t part = 0; clusters != nullptr && part < block_dim; ++part) {
    if (groups_.is_open(clusters[part])) continue;
    return refuse(fmt::format("part {}: {}", part, groups_.why_closed(clusters[part])),
                  "give each part an id that pto2_rt_allocate_cluster returned, until it is freed "
                  "or its scope ends");
  }
  return true;
}

template <executors::ExecutionPolicy P, template <class> class F>
void Orchestrator<P, F>::submit_block_task(int32_t kernel_id, int32_t worker_type,
                                           const PTOParam* params, uint32_t count,
                                           uint32_t block_dim, const int32_t* clusters) {
  if (mode_ == Mode::stopped || !check_block(params, count, block_dim, clusters)) return;
  submission_.is_block = true;
  submission_.block_dim = block_dim;
  for (uint32_t part = 0; clusters != nullptr && part < block_dim; ++part) {
    const auto cluster = static_cast<uint32_t>(clusters[part]);
    submission_.pinned_parts.push_back({static_cast<int16_t>(cluster), groups_.group_of(cluster)});
  }
  if (clusters != nullptr) {
    submission_.cluster = submission_.pinned_parts.front().cluster;
    submission_.group = submission_.pinned_parts.front().group;
  }
  submit_task(kernel_id, worker_type, params, count);
  submission_.is_block = false;
  submission_.block_dim = 0;
  submission_.cluster = any_cluster;
  submission_.pinned_parts.clear();
}

}  // namespace pto2
