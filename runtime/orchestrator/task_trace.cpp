#include "runtime/orchestrator/task_trace.hpp"

#include <algorithm>

namespace pto2 {
namespace {

Direction direction_of(PTOParamType type) {
  if (type == PTOParamType::INPUT) return Direction::in;
  return type == PTOParamType::OUTPUT ? Direction::out : Direction::inout;
}

}  // namespace

uint32_t TaskTrace::scope_begin() {
  open_scopes_.push_back(scopes_begun_);
  return scopes_begun_++;
}

uint32_t TaskTrace::scope_end() {
  const uint32_t scope = open_scopes_.back();
  open_scopes_.pop_back();
  return scope;
}

void TaskTrace::submitted(const Submission& task, TaskId id, uint64_t heap_begin,
                          uint32_t first_node) {
  if (tasks_.size() == limit_) return claims_.clear();
  TaskRecord& traced = tasks_.emplace_back();
  traced.task = id;
  traced.kernel = task.kernel_id;
  traced.type = static_cast<uint32_t>(task.type);
  traced.scope = open_scopes_.back();
  traced.depth = task.depth;
  if (task.is_pinned()) {
    const uint32_t group = task.pinned_parts.front().group;
    if (std::ranges::all_of(
            task.pinned_parts, [&](uint32_t g) { return g == group; }, &PinnedPart::group)) {
      traced.cluster = task.cluster;
      traced.group = group;
    }
  }
  traced.block_dim = task.is_block ? task.block_dim : 0;
  traced.heap_begin = heap_begin;
  traced.heap_bytes = task.heap_bytes;
  traced.first_node = first_node;
  traced.nodes = task.producers.size() + task.owners.size();
  traced.producers.reserve(task.producers.size());
  for (std::size_t i = 0; i < task.producers.size(); ++i) {
    traced.producers.push_back({task.producers[i], claims_[i]});
  }
  claims_.clear();
  traced.holds.assign(task.owners.begin(), task.owners.end());
  add_params(task, traced);
  if (task.has_pipes) add_pipes(task, traced);
}

void TaskTrace::add_pipes(const Submission& task, TaskRecord& traced) {
  for (const PipeParam& param : task.pipes) {
    const Pipe& pipe = *param.pipe;
    if (!known_pipes_.emplace(pipe.group, pipe.tag).second) continue;
    traced.pipes.push_back({pipe.tag, pipe.control.capacity});
  }
}

void TaskTrace::add_params(const Submission& task, TaskRecord& traced) const {
  traced.params.reserve(task.params.size());
  for (std::size_t i = 0; i < task.params.size(); ++i) {
    const PTOParamType type = task.params[i].type;
    if (type == PTOParamType::SCALAR) {
      traced.params.emplace_back();
    } else if (is_pipe(type)) {
      traced.params.push_back({.pipe = true,
                               .pipe_out = type == PTOParamType::PIPE_OUT,
                               .tag = pipe_tag(task.params[i])});
    } else {
      add_tensor(type, *task.tensors[i], traced);
    }
  }
}

void TaskTrace::add_tensor(PTOParamType type, const TensorRecord& tensor,
                           TaskRecord& traced) const {
  const Region& region = tensor.region;
  ParamRecord& param = traced.params.emplace_back();
  param.direction = direction_of(type);
  param.external = tensor.external;
  param.base = tensor.base;
  if (!tensor.external) {
    param.owner = tensor.owner.task;
    param.base -= heaps_[ring_of(tensor.owner.task).value];
  }
  param.element = region.element_size;
  param.origin = region.origin;
  param.dims = region.ndims;
  for (uint32_t i = 0; i < param.dims; ++i) {
    param.strides[i] = i + 1 == param.dims ? 1 : region.root_strides[i];
    param.start[i] = region.box_begin[i];
    param.extent[i] = region.box_end[i] - region.box_begin[i];
  }
}

}  // namespace pto2
