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

Dataflow::Dataflow(const DeviceConfig& config, uint32_t first_generation,
                   std::span<const CallerArray> arrays)
    : slot_mask_(config.window - 1),
      innermost_ring_(config.rings - 1),
      zones_(config.guard == GuardKind::off ? guard::RedZones{} : guard::guarded_zones),
      tensors_(first_generation, arrays, &map_),
      map_({.rings = config.rings,
            .window = config.window,
            .pool_size = config.tensormap_pool,
            .num_buckets = config.tensormap_buckets}) {
  for (uint32_t r = 0; r < config.rings; ++r) {
    notes_[r] = MappedArray<TaskNote>(config.window);
    first_note_[r] = notes_[r].span().data();
  }
}

void Dataflow::scope_begin(uint64_t next_serial) {
  tensors_.scope_begin();
  scopes_.push_back(next_serial);
}

void Dataflow::scope_end() {
  tensors_.scope_end();
  tensors_.forget_external_buffers();
  scopes_.pop_back();
}

/// Of a run that is only counted, whose tasks have no notes.
[[gnu::noinline]] bool Dataflow::is_among_producers(const Submission& task, TaskId id) {
  return task.producers.contains(id) || task.owners.contains(id);
}

bool Dataflow::resolve(Submission& task) {
  const auto show = [](const Submission&, uint32_t, const auto&) {};
  const auto meet = [](Submission&, TaskId) {};
  return task.counted ? resolve<true>(task, show, meet) : resolve<false>(task, show, meet);
}

// Apart from resolve(), which every submission passes.

[[gnu::noinline]] bool Dataflow::resolve_special(Submission& task, uint32_t i) {
  return is_pipe(task.params[i].type) ? resolve_pipe(task, i) : refuse_type(task, i);
}

bool Dataflow::refuse_type(Submission& task, uint32_t i) {
  const auto type = static_cast<int32_t>(task.params[i].type);
  return refuse_param(task, i, fmt::format("{} is no parameter type", type),
                      "make parameters with make_input_param() and its like");
}

[[gnu::noinline]] bool Dataflow::refuse_handle(Submission& task, uint32_t i) const {
  return refuse_param(task, i, tensors_.describe(task.params[i].tensor.id),
                      "use a tensor only inside the scope that made it");
}

/// Whom a pipe belongs to, and that its tasks can be ordered.
bool Dataflow::resolve_pipe(Submission& task, uint32_t i) {
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
  task.rewritten.push_back(entry.tensor);
  return true;
}

[[gnu::noinline]] bool Dataflow::refuse_no_memory(Submission& task, uint32_t i) {
  if (task.params[i].type != PTOParamType::OUTPUT && task.tensors[i]->null_external) {
    return refuse_param(task, i, "the tensor is external, and its address is null",
                        "give make_tensor_external() memory, a buffer of the arguments perhaps");
  }
  return refuse_param(task, i, "the tensor has no memory yet",
                      "submit the task that has it as OUTPUT, once, before it is read");
}

[[gnu::noinline]] bool Dataflow::refuse_memory(Submission& task, uint32_t i) {
  const TaskId owner = task.tensors[i]->owner.task;
  return refuse_param(
      task, i,
      fmt::format("the memory of the tensor belongs to task {} of ring {}, whose scope has ended",
                  local_of(owner), ring_of(owner).value),
      "submit the task that outputs it in a scope that encloses all its uses");
}

/// True: the submission, which was resolved, has an edge to this task, or needs none. That it was
/// met says so where nobody was met whom it only holds.
bool Dataflow::is_behind(const Submission& task, TaskId id) const {
  if (task.counted || !task.owners.empty()) return task.producers.contains(id);
  return note(id).last_consumer >= task.serial;
}

/// The same of who stands at the buffer, and has not retired. Nor then has who read him last, if
/// that one is of the same ring, and so his note is his own; of the others it would depend on how
/// fast a run is whether they are met.
[[gnu::noinline]] bool Dataflow::is_behind_writer(const Submission& task,
                                                  const BufferWrites& buffer) const {
  if (is_behind(task, buffer.writer)) return true;
  const TaskId reader = buffer.reader;
  return reader != no_task && ring_of(reader) == ring_of(buffer.writer) && is_behind(task, reader);
}

[[gnu::noinline]] void Dataflow::find_counted_producers(Submission& task,
                                                        const TensorRecord& tensor, Access access) {
  map_.lookup(*tensor.writes, tensor.region, access, task.id, [&task](const Match& match) {
    if (is_among_producers(task, match.producer)) return;
    task.producers.push_back(match.producer);
  });
}

}  // namespace pto2
