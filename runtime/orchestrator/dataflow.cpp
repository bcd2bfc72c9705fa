#include "runtime/orchestrator/dataflow.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace pto2 {

namespace {

bool refuse_param(Submission& task, uint32_t i, std::string problem, const char* hint) {
  task.refusal = {ErrorCode::bad_submission,
                  fmt::format("submission {}, parameter {}: {}", task.serial - 1, i, problem),
                  hint};
  return false;
}

}  // namespace

Dataflow::Dataflow(const DeviceConfig& config, const Watermarks& alive, uint32_t first_generation)
    : alive_(alive),
      window_(config.window),
      zones_(config.guard == GuardKind::off ? guard::RedZones{} : guard::guarded_zones),
      tensors_(first_generation),
      map_({.rings = config.rings,
            .window = config.window,
            .pool_size = config.tensormap_pool,
            .num_buckets = config.tensormap_buckets}) {
  for (uint32_t r = 0; r < config.rings; ++r) notes_[r] = MappedArray<TaskNote>(config.window);
}

void Dataflow::scope_begin(uint64_t next_serial) {
  tensors_.scope_begin();
  scopes_.push_back(next_serial);
}

void Dataflow::scope_end() {
  tensors_.scope_end();
  scopes_.pop_back();
}

bool Dataflow::check(Submission& task) {
  task.outputs = 0;
  task.heap_bytes = 0;
  task.rewrites = 0;
  task.inserts = 0;
  task.has_pipes = false;
  for (uint32_t i = 0; i < task.params.size(); ++i) {
    if (!check_param(task, i)) return false;
  }
  return true;
}

bool Dataflow::check_param(Submission& task, uint32_t i) {
  const PTOParam& param = task.params[i];
  if (static_cast<uint32_t>(param.type) > static_cast<uint32_t>(PTOParamType::SCALAR)) {
    if (is_pipe(param.type)) return check_pipe(task, i);
    return refuse_param(task, i,
                        fmt::format("{} is no parameter type", static_cast<int32_t>(param.type)),
                        "make parameters with make_input_param() and its like");
  }
  if (param.type == PTOParamType::SCALAR) return true;
  const TensorRecord* const tensor = tensors_.find(param.tensor.id);
  task.tensors[i] = tensor;
  if (tensor == nullptr) {
    return refuse_param(task, i, tensors_.describe(param.tensor.id),
                        "use a tensor only inside the scope that made it");
  }
  if (!tensor->has_address()) return check_new_output(task, i);
  task.inserts += writes(param.type) ? 1 : 0;
  if (tensor->external) return true;
  if (param.type == PTOParamType::OUTPUT) task.former_owners[task.rewrites++] = tensor->owner;
  return check_memory(task, i);
}

/// Whom a pipe belongs to, and that its tasks can be ordered.
bool Dataflow::check_pipe(Submission& task, uint32_t i) {
  const PTOParam& param = task.params[i];
  const auto tag = pipe_tag(param);
  if (!task.is_pinned()) {
    return refuse_param(task, i, fmt::format("pipe {} for a task without a cluster", tag),
                        "submit it to a cluster: a pipe belongs to the group that holds one");
  }
  const uint32_t group = task.pinned_parts.front().group;
  for (const PinnedPart& part : task.pinned_parts) {
    if (part.group == group) continue;
    return refuse_param(task, i,
                        fmt::format("pipe {} for a block task with parts in groups {} and {}", tag,
                                    group, part.group),
                        "submit one task per group: a pipe belongs to one");
  }
  if (task.is_block && task.block_dim != 1) {
    return refuse_param(task, i,
                        fmt::format("pipe {} for a block task of {} parts, which run in no order",
                                    tag, task.block_dim),
                        "submit one task per part: each has its turn at the pipe then");
  }
  PipeProblem problem;
  const PipeEntry entry =
      pipes_.use({task.cluster_id(), group, tag, (param.tensor.id & PTO2_PIPE_SIZED) != 0,
                  static_cast<uint32_t>(param.scalar >> 32), static_cast<uint32_t>(param.scalar),
                  task.counted},
                 problem);
  if (entry.pipe == nullptr) {
    return refuse_param(task, i, fmt::format("pipe {} of group {}: {}", tag, group, problem.text),
                        problem.hint);
  }
  if (!task.has_pipes) task.pipes.clear();
  task.has_pipes = true;
  task.pipes.push_back({i, entry.pipe});
  task.tensors[i] = entry.tensor;
  ++task.inserts;
  return true;
}

/// A tensor without memory gets it with the task that has it as OUTPUT.
bool Dataflow::check_new_output(Submission& task, uint32_t i) const {
  const TensorRecord* const tensor = task.tensors[i];
  bool twice = false;
  for (uint32_t j = 0; j < task.outputs; ++j) {
    twice |= task.tensors[task.output_params[j]] == tensor;
  }
  if (task.params[i].type != PTOParamType::OUTPUT || twice) {
    return refuse_param(task, i, "the tensor has no memory yet",
                        "submit the task that has it as OUTPUT, once, before it is read");
  }
  ++task.inserts;
  const uint64_t bytes = tensor->bytes();
  task.output_params[task.outputs] = i;
  task.output_bytes[task.outputs++] = bytes;
  const uint64_t before = task.outputs == 1 ? zones_.in_front : task.heap_bytes;
  task.heap_bytes = packed_bytes_with(before, bytes + zones_.behind);
  return true;
}

bool Dataflow::check_memory(Submission& task, uint32_t i) const {
  const TaskId owner = task.tensors[i]->owner;
  if (task.counted || scope_is_open(owner)) return true;
  return refuse_param(
      task, i,
      fmt::format("the memory of the tensor belongs to task {} of ring {}, whose scope has ended",
                  local_of(owner), ring_of(owner).value),
      "submit the task that outputs it in a scope that encloses all its uses");
}

bool Dataflow::scope_is_open(TaskId id) const {
  if (local_of(id) < alive_[ring_of(id).value]) return false;
  const TaskNote& task = note(id);
  return task.depth < scopes_.size() && scopes_[task.depth] <= task.serial;
}

void Dataflow::find_producers(Submission& task) {
  task.producers.clear();
  task.owners.clear();
  task.replaced.clear();
  for (uint32_t i = 0; i < task.params.size(); ++i) {
    const PTOParamType type = task.params[i].type;
    if (!reads(type)) continue;
    const TensorRecord& tensor = *task.tensors[i];
    const Access access = writes(type) ? Access::inout : Access::input;
    map_.lookup(tensor.base, tensor.region, access, [&](const Match& match) {
      if (match.replaced) task.replaced.push_back(match.producer);
      if (is_known_producer(task, match.producer)) return;
      task.producers.push_back(match.producer);
    });
  }
}

/// Whoever names a buffer of the runtime holds the task that allocated it, so that the buffer stays
/// until the last of them has completed. Who reads has an edge to that task already: its entry is
/// never replaced (TM-I4).
void Dataflow::find_owners(Submission& task) {
  for (uint32_t i = 0; i < task.rewrites; ++i) {
    const TaskId owner = task.former_owners[i];
    if (!is_known_producer(task, owner)) task.owners.push_back(owner);
  }
}

/// Tells whether the submission has met this producer before.
bool Dataflow::is_known_producer(const Submission& task, TaskId id) {
  if (task.counted) {
    const auto among = [&](const std::vector<TaskId>& tasks) {
      return std::find(tasks.begin(), tasks.end(), id) != tasks.end();
    };
    return among(task.producers) || among(task.owners);
  }
  TaskNote& producer = note(id);
  return std::exchange(producer.last_consumer, task.serial) == task.serial;
}

void Dataflow::allocate_outputs(const Submission& task, TaskId id, uint64_t address) {
  address += zones_.in_front;
  for (uint32_t i = 0; i < task.outputs; ++i) {
    tensors_.set_buffer(task.params[task.output_params[i]].tensor.id, address, id);
    address += packed_output_bytes(task.output_bytes[i] + zones_.behind);
  }
}

void Dataflow::insert_outputs(const Submission& task, TaskId id) {
  for (uint32_t i = 0; i < task.params.size(); ++i) {
    if (!writes(task.params[i].type)) continue;
    const TensorRecord& tensor = *task.tensors[i];
    const bool allocated =
        task.params[i].type == PTOParamType::OUTPUT && !tensor.external && tensor.owner == id;
    const bool inserted = map_.insert(tensor.base, tensor.region, id, allocated);
    PTO2_INVARIANT("TM-I5", inserted);
  }
}

}  // namespace pto2
