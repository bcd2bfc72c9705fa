#include "runtime/orchestrator/task_trace.hpp"

#include <algorithm>
#include <utility>

namespace pto2 {

uint32_t TaskTrace::scope_begin() {
  open_scopes_.push_back(scopes_begun_);
  return scopes_begun_++;
}

uint32_t TaskTrace::scope_end() {
  const uint32_t scope = open_scopes_.back();
  open_scopes_.pop_back();
  return scope;
}

void TaskTrace::submitted(const Submission& task, const Admitted& admitted, uint32_t first_node) {
  const std::vector<Claim> claims = std::exchange(claims_, {});
  if (tasks_.size() == limit_) return;
  TracedTask traced;
  traced.id = admitted.id;
  traced.type = task.type;
  traced.kernel = task.kernel_id;
  traced.block_dim = task.block_dim;
  traced.group = task.group;
  const bool apart = std::ranges::any_of(task.pinned_parts, [&](const PinnedPart& part) {
    return part.group != task.pinned_parts.front().group;
  });
  if (!apart) traced.cluster = task.cluster;
  traced.depth = task.depth;
  traced.scope = open_scopes_.back();
  traced.heap_begin = admitted.placement.begin;
  traced.heap_bytes = task.heap_bytes;
  traced.first_node = first_node;
  traced.nodes = static_cast<uint32_t>(task.producers.size() + task.owners.size());
  traced.params = static_cast<uint32_t>(task.params.size());
  traced.edges = static_cast<uint32_t>(task.producers.size());
  traced.holds = static_cast<uint32_t>(task.owners.size());
  tasks_.push_back(traced);
  for (std::size_t i = 0; i < task.producers.size(); ++i) {
    edges_.push_back({task.producers[i], claims[i]});
  }
  holds_.insert(holds_.end(), task.owners.begin(), task.owners.end());
  add_params(task);
  if (task.has_pipes) add_pipes(task);
}

void TaskTrace::add_pipes(const Submission& task) {
  for (const PipeParam& param : task.pipes) {
    const Pipe& pipe = *param.pipe;
    if (!known_pipes_.emplace(pipe.group, pipe.tag).second) continue;
    pipes_.push_back({pipe.tag, pipe.control.capacity});
    ++tasks_.back().pipes;
  }
}

void TaskTrace::add_params(const Submission& task) {
  for (std::size_t i = 0; i < task.params.size(); ++i) {
    TracedParam& param = params_.emplace_back();
    param.type = task.params[i].type;
    if (param.type == PTOParamType::SCALAR) continue;
    if (is_pipe(param.type)) {
      param.tag = pipe_tag(task.params[i]);
      continue;
    }
    const TensorRecord& tensor = *task.tensors[i];
    param.external = tensor.external;
    param.owner = tensor.owner;
    param.base = tensor.base;
    param.region = tensor.region;
  }
}

void TaskTrace::waits(uint64_t requested) {
  if (requests_.size() < limit_) requests_.push_back(requested);
}

}  // namespace pto2
