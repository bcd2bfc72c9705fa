#include "stress/graphs/pipes.hpp"

#include <algorithm>

#include "stress/graphs/values.hpp"

namespace pto2::graphs {
namespace {

/// Of a pipe whose parameters do not say any.
constexpr PipeSizes usual_sizes{8, 16384};
/// Most bytes of a pipe.
constexpr uint64_t most_bytes = uint64_t{1} << 30;

/// Those that the pipe has when the task comes to this parameter, if it was named before, be it by
/// the task itself.
std::optional<PipeSizes> sizes_before(const Submit& task, std::size_t number, const Pipes& pipes) {
  const int32_t tag = task.pipes[number].tag;
  const auto made = pipes.find({*pipe_group(task), tag});
  if (made != pipes.end()) return made->second.sizes;
  for (std::size_t i = 0; i < number; ++i) {
    if (task.pipes[i].tag == tag) return task.pipes[i].sizes.value_or(usual_sizes);
  }
  return std::nullopt;
}

/// Does a step that is right.
uint64_t take(PipeStep step, uint64_t number, uint64_t hash, PipeModel& pipe, PredictedUse& use) {
  switch (step) {
    case PipeStep::push:
      pipe.waiting.push_back(value_pushed(hash, number));
      ++use.pushed;
      break;
    case PipeStep::pop:
      hash = hash_popped(hash, pipe.waiting.front(), pipe.waiting.front());
      pipe.waiting.pop_front();
      ++pipe.held;
      ++use.popped;
      break;
    case PipeStep::release:
      --pipe.held;
      ++use.freed;
      break;
    case PipeStep::oversized:
      break;
  }
  return hash;
}

}  // namespace

const char* PipeModel::problem(PipeStep step) const {
  switch (step) {
    case PipeStep::push:
      return used() < sizes.capacity ? nullptr : "a push to a full pipe";
    case PipeStep::oversized:
      return "a push of ";
    case PipeStep::pop:
      return waiting.empty() ? "a pop from an empty pipe" : nullptr;
    case PipeStep::release:
      return held == 0 ? "a TFREE without an entry" : nullptr;
  }
  return nullptr;
}

ErrorCode fault_of(PipeStep step) {
  const bool push = step == PipeStep::push || step == PipeStep::oversized;
  return push ? ErrorCode::pipe_overflow : ErrorCode::pipe_underflow;
}

std::optional<uint32_t> pipe_group(const Submit& task) {
  if (task.group) return task.group;
  if (task.block_dim == 1 && !task.part_groups.empty()) return task.part_groups.front();
  return std::nullopt;
}

const char* refused_pipe(const Submit& task, std::size_t number, const Pipes& pipes) {
  const PipeParam& pipe = task.pipes[number];
  const std::vector<uint32_t>& parts = task.part_groups;
  if (!task.group && parts.empty()) return "for a task without a cluster";
  if (std::any_of(parts.begin(), parts.end(), [&](uint32_t of) { return of != parts.front(); })) {
    return "for a block task with parts in groups";
  }
  if (task.block_dim > 1) return "parts, which run in no order";
  if (!pipe.sizes) return nullptr;
  if (const auto made = sizes_before(task, number, pipes)) {
    return *made == *pipe.sizes ? nullptr : ": it was made with ";
  }
  const uint64_t bytes = uint64_t{pipe.sizes->capacity} * pipe.sizes->slot_bytes;
  return bytes == 0 || bytes > most_bytes ? " bytes, of which neither may be 0" : nullptr;
}

void make_pipes(const Submit& task, uint32_t number, Pipes& pipes) {
  for (const PipeParam& param : task.pipes) {
    const PipeName name{*pipe_group(task), param.tag};
    const PipeModel made{param.sizes.value_or(usual_sizes)};
    pipes.try_emplace(name, made).first->second.users.push_back(number);
  }
}

uint64_t use_pipes(const Submit& task, uint32_t number, uint64_t hash, Pipes& pipes,
                   std::optional<PredictedFault>& fault) {
  uint64_t steps = 0;
  std::map<PipeName, PredictedUse> uses;
  for (const PipeParam& param : task.pipes) {
    const PipeName name{*pipe_group(task), param.tag};
    PipeModel& pipe = pipes.at(name);
    PredictedUse& use = uses.try_emplace(name, PredictedUse{number}).first->second;
    for (const PipeStep step : param.steps) {
      if (fault) break;
      if (const char* const problem = pipe.problem(step)) {
        fault = {fault_of(step), number, name, problem};
      } else {
        hash = take(step, steps++, hash, pipe, use);
      }
    }
  }
  for (auto& [name, use] : uses) {
    PipeModel& pipe = pipes.at(name);
    use.waiting = pipe.waiting.size();
    use.held = pipe.held;
    pipe.uses.push_back(use);
  }
  return hash;
}

}  // namespace pto2::graphs
