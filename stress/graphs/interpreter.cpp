#include "stress/graphs/interpreter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace pto2::graphs {
namespace {

/// Most parameters of one task, as the orchestration API has it.
constexpr std::size_t most_params = 32;
/// The same of a block task, which has block_dim and block_id as well.
constexpr std::size_t most_block_params = 30;

}  // namespace

Interpreter::Interpreter(const std::vector<uint64_t>& external_bytes) {
  for (std::size_t number = 0; number < external_bytes.size(); ++number) {
    Buffer buffer{.external = true};
    buffer.contents.resize(external_bytes[number]);
    buffer.bytes.resize(external_bytes[number], {.defined = true});
    for (std::size_t i = 0; i < buffer.contents.size(); ++i) {
      buffer.contents[i] = initial_byte(number, i);
    }
    buffers_.push_back(std::move(buffer));
  }
  step(ScopeBegin{});
}

void Interpreter::apply(const Step& any) {
  const std::size_t number = steps_++;
  if (refusal_) {
    if (makes_tensor(any)) add_tensor({}, 0);
    return;
  }
  std::visit([this](const auto& which) { step(which); }, any);
  if (refusal_) refusal_->step = number;
}

void Interpreter::step(const ScopeBegin&) {
  open_scopes_.push_back(scope_is_open_.size());
  scope_is_open_.push_back(true);
}

void Interpreter::step(const ScopeEnd&) {
  if (open_scopes_.size() < 2) throw std::logic_error("interpreter: unmatched end of a scope");
  for (uint32_t group = 0; group < groups_.size(); ++group) {
    if (groups_[group].open && groups_[group].scope == open_scopes_.back()) close(group);
  }
  scope_is_open_[open_scopes_.back()] = false;
  open_scopes_.pop_back();
}

void Interpreter::step(const Make& make) {
  Buffer buffer;
  TensorModel model = root_of(make.dtype, make.shape, 0);
  buffer.contents.resize(model.bytes.end());
  buffer.bytes.resize(model.bytes.end());
  buffers_.push_back(std::move(buffer));
  add_tensor(std::move(model), static_cast<uint32_t>(buffers_.size() - 1));
}

void Interpreter::step(const External& external) {
  TensorModel model = root_of(external.dtype, external.shape, 0);
  if (model.bytes.end() > buffers_.at(external.buffer).contents.size()) {
    throw std::logic_error("interpreter: a tensor is larger than its external buffer");
  }
  add_tensor(std::move(model), external.buffer);
}

void Interpreter::step(const View& view) {
  const PlacedTensor* of = parent("view", view.of);
  if (of == nullptr) return add_tensor({}, 0);
  TensorModel model = view_of(of->model, view.shape, view.offsets);
  if (model.elements.empty()) refuse("offset + extent must not exceed the tensor's");
  add_tensor(std::move(model), of->buffer);
}

void Interpreter::step(const Reshape& reshape) {
  const PlacedTensor* of = parent("reshape", reshape.of);
  if (of == nullptr) return add_tensor({}, 0);
  const bool row_major = of->model.is_row_major();
  if (!row_major) {
    refuse("is not contiguous");
  } else if (count_of(reshape.shape) != of->model.elements.size()) {
    refuse("the counts must be equal");
  }
  add_tensor(refusal_ ? TensorModel{} : reshape_of(of->model, reshape.shape), of->buffer);
}

void Interpreter::step(const Transpose& transpose) {
  const PlacedTensor* of = parent("transpose", transpose.of);
  if (of == nullptr) return add_tensor({}, 0);
  add_tensor(transpose_of(of->model, transpose.x, transpose.y), of->buffer);
}

void Interpreter::step(const Allocate&) {
  groups_.push_back({open_scopes_.back()});
  closed_.clear();
}

void Interpreter::step(const Free& free) {
  if (accepts_group(free.group)) close(free.group);
}

void Interpreter::close(uint32_t group) {
  groups_[group].open = false;
  closed_.insert(group);
}

std::vector<uint32_t> Interpreter::open_groups() const {
  std::vector<uint32_t> found;
  for (uint32_t group = 0; group < groups_.size(); ++group) {
    if (groups_[group].open) found.push_back(group);
  }
  return found;
}

void Interpreter::step(const Submit& submit) {
  if (!accepts(submit)) return;
  if (tasks_.size() == max_tasks) throw std::logic_error("interpreter: too many tasks");
  const bool conflict = submit.block_dim != 0 && parts_conflict(submit);
  if (!hazard_ && (conflict || hazards(submit).any())) hazard_ = tasks_.size();
  const auto number = static_cast<uint32_t>(tasks_.size());
  PredictedTask task{.scope = open_scopes_.back(),
                     .length = submit.length,
                     .block_dim = submit.block_dim,
                     .params = submit.params,
                     .pipes = submit.pipes,
                     .group = pipe_group(submit),
                     .producers = producers_of(submit),
                     .ancestors = {},
                     .parts = {}};
  task.ancestors = with_ancestors(task.producers);
  for (const Param& param : task.params) {
    Buffer& buffer = buffers_[tensors_[param.tensor].buffer];
    if (!buffer.external && !buffer.owner) buffer.owner = number;
  }
  execute(task, number, submit);
  tasks_.push_back(std::move(task));
}

void Interpreter::note_accesses(const PredictedTask& task, uint32_t number) {
  for (const Param& param : task.params) {
    const PlacedTensor& tensor = tensors_[param.tensor];
    Buffer& buffer = buffers_[tensor.buffer];
    tensor.model.bytes.for_each([&](uint32_t byte) {
      ByteHistory& history = buffer.bytes[byte];
      if (reads(param.use)) history.read.set(number);
      if (records(param.use)) history.recorded.set(number);
      if (!writes(param.use)) return;
      history.wrote.set(number);
      history.defined = true;
    });
  }
}

/// Reads everything, uses its pipes, then writes everything, as the kernel does; of a block task,
/// each part its share of what the task writes.
void Interpreter::execute(PredictedTask& task, uint32_t number, const Submit& submit) {
  const uint32_t parts = std::max(task.block_dim, 1u);
  const auto share_of = [&](Use use, uint64_t part) {
    return use == Use::input ? Share{} : Share{parts, part};
  };
  for (uint64_t part = 0; part < parts; ++part) {
    uint64_t hash = task.block_dim == 0 ? hash_of_task(number) : hash_of_part(number, part);
    for (const Param& param : task.params) {
      if (!reads(param.use)) continue;
      hash = hash_of(hash, tensors_[param.tensor], share_of(param.use, part));
    }
    const uint64_t piped = hash_of_pipes(task, number, submit, hash);
    task.parts.push_back({hash, piped, piped});
  }
  note_accesses(task, number);
  for (uint64_t part = 0; part < parts; ++part) {
    write(task, {parts, part}, task.parts[part].piped);
  }
  for (uint64_t part = 0; part < parts; ++part) {
    for (const Param& param : task.params) {
      if (param.use == Use::allocate) continue;
      uint64_t& hash = task.parts[part].after;
      hash = hash_of(hash, tensors_[param.tensor], share_of(param.use, part));
    }
  }
}

/// After the fault only tasks that do not depend on it run.
uint64_t Interpreter::hash_of_pipes(const PredictedTask& task, uint32_t number,
                                    const Submit& submit, uint64_t hash) {
  if (submit.pipes.empty()) return hash;
  make_pipes(submit, number, pipes_);
  if (fault_ && task.ancestors[fault_->task]) return hash;
  std::optional<PredictedFault> fault;
  hash = use_pipes(submit, number, hash, pipes_, fault);
  if (fault && fault_ && !hazard_) hazard_ = tasks_.size();
  if (fault && !fault_) fault_ = fault;
  return hash;
}

void Interpreter::write(const PredictedTask& task, const Share& share, uint64_t hash) {
  for (uint32_t i = 0; i < task.params.size(); ++i) {
    if (!writes(task.params[i].use)) continue;
    const PlacedTensor& tensor = tensors_[task.params[i].tensor];
    Buffer& buffer = buffers_[tensor.buffer];
    for (std::size_t k = 0; k < tensor.model.elements.size(); ++k) {
      if (!share.has(k)) continue;
      store_element(&buffer.contents[tensor.model.elements[k]], value_written(hash, i, k),
                    tensor.model.element_size());
    }
  }
}

uint64_t Interpreter::hash_of(uint64_t hash, const PlacedTensor& tensor, const Share& share) const {
  const Buffer& buffer = buffers_[tensor.buffer];
  for (std::size_t k = 0; k < tensor.model.elements.size(); ++k) {
    if (!share.has(k)) continue;
    hash = mix(hash, load_element(&buffer.contents[tensor.model.elements[k]],
                                  tensor.model.element_size()));
  }
  return hash;
}

bool Interpreter::accepts_group(uint32_t group) {
  if (group >= groups_.size()) throw std::logic_error("interpreter: no such group");
  if (groups_[group].open) return true;
  // Its cluster may be that of a group that was opened since.
  if (!hazard_ && !closed_.contains(group)) hazard_ = tasks_.size();
  refuse("is not allocated: its last group");
  return false;
}

bool Interpreter::accepts_block(const Submit& submit) {
  const std::size_t params = submit.params.size() + submit.pipes.size() + 1;
  if (params > most_block_params) {
    refuse(fmt::format("{} parameters, at most {} are supported beside block_dim", params,
                       most_block_params));
    return false;
  }
  if (!submit.part_groups.empty() && submit.part_groups.size() != submit.block_dim) {
    throw std::logic_error("interpreter: a group for each part");
  }
  return std::all_of(submit.part_groups.begin(), submit.part_groups.end(),
                     [this](uint32_t group) { return accepts_group(group); });
}

bool Interpreter::accepts(const Submit& submit) {
  if (submit.group && !accepts_group(*submit.group)) return false;
  if (submit.block_dim != 0 && !accepts_block(submit)) return false;
  const bool in_block = submit.core == CoreType::cube || submit.core == CoreType::vector;
  if (!in_block && (submit.group || !submit.part_groups.empty())) {
    refuse("a pinned task for something else than a cube or a vector core");
    return false;
  }
  // The kernel takes one parameter more, a scalar.
  const std::size_t params = submit.params.size() + submit.pipes.size() + 1;
  if (params > most_params) {
    refuse(fmt::format("{} parameters, at most {} are supported", params, most_params));
    return false;
  }
  for (uint32_t i = 0; i < submit.params.size(); ++i) {
    if (!accepts(submit, i)) return false;
  }
  return accepts_pipes(submit);
}

bool Interpreter::accepts_pipes(const Submit& submit) {
  for (uint32_t i = 0; i < submit.pipes.size(); ++i) {
    const char* const problem = refused_pipe(submit, i, pipes_);
    if (problem == nullptr) continue;
    refuse(problem, static_cast<uint32_t>(submit.params.size()) + i);
    return false;
  }
  return true;
}

bool Interpreter::accepts(const Submit& submit, uint32_t number) {
  const Param& param = submit.params[number];
  const PlacedTensor& tensor = placed(param.tensor);
  const Buffer& buffer = buffers_[tensor.buffer];
  if (!is_live(param.tensor)) {
    refuse("is not a live tensor", number);
  } else if (buffer.owner && !scope_is_open_[tasks_[*buffer.owner].scope]) {
    refuse("whose scope has ended", number);
  } else if (!has_memory(param.tensor)) {
    bool named_before = false;
    for (uint32_t i = 0; i < number; ++i) named_before |= submit.params[i].tensor == param.tensor;
    if (reads(param.use) || named_before) refuse("the tensor has no memory yet", number);
  }
  return !refusal_;
}

void Interpreter::refuse(std::string problem, std::optional<uint32_t> param) {
  if (fault_ && !hazard_) hazard_ = tasks_.size();
  refusal_ = {ErrorCode::bad_submission, tasks_.size(), param, std::move(problem)};
}

void Interpreter::step(const Misuse& misuse) {
  static constexpr const char* problems[misuses] = {
      "there is no kernel 1",
      "7 is no worker type",
      "the orchestration is done",
      "scope_end() without a scope",
      "an exception left the orchestration: of the program",
      "an exception of unknown type left the orchestration",
      "there is no cluster -2",
      "there is no cluster",
      "there is no cluster -1",
      "there is no cluster",
      "a block task of 0 parts",
      "a block task of 65536 parts",
      "submit_task_clustered: cluster 0 is not allocated",
      "free_cluster: cluster 0 is not allocated"};
  const bool needs_none = misuse == Misuse::unallocated || misuse == Misuse::free_unallocated;
  if (!hazard_ && needs_none && !open_groups().empty()) hazard_ = tasks_.size();
  refuse(problems[static_cast<std::size_t>(misuse)]);
  if (misuse == Misuse::exception || misuse == Misuse::unknown_exception) {
    refusal_->code = ErrorCode::orchestration_threw;
  }
}

const PlacedTensor& Interpreter::placed(uint32_t tensor) const {
  if (tensor >= tensors_.size()) throw std::logic_error("interpreter: no such tensor");
  return tensors_[tensor];
}

void Interpreter::add_tensor(TensorModel model, uint32_t buffer) {
  tensors_.push_back({std::move(model), buffer, open_scopes_.back()});
}

const PlacedTensor* Interpreter::parent(const char* operation, uint32_t tensor) {
  const PlacedTensor& of = placed(tensor);
  if (is_live(tensor) && has_memory(tensor)) return &of;
  refuse(fmt::format("{}: {}", operation, is_live(tensor) ? "the tensor of shape" : "handle"));
  return nullptr;
}

bool Interpreter::is_live(uint32_t tensor) const {
  return scope_is_open_[placed(tensor).scope];
}

bool Interpreter::has_memory(uint32_t tensor) const {
  const Buffer& buffer = buffers_[placed(tensor).buffer];
  return buffer.external || buffer.owner;
}

bool Interpreter::is_usable(uint32_t tensor) const {
  const Buffer& buffer = buffers_[placed(tensor).buffer];
  if (!is_live(tensor)) return false;
  return buffer.external || (buffer.owner && scope_is_open_[tasks_[*buffer.owner].scope]);
}

bool Interpreter::is_defined(uint32_t tensor) const {
  const PlacedTensor& of = placed(tensor);
  bool defined = true;
  of.model.bytes.for_each(
      [&](uint32_t byte) { defined &= buffers_[of.buffer].bytes[byte].defined; });
  return defined;
}

TaskSet Interpreter::with_ancestors(const TaskSet& tasks) const {
  TaskSet all = tasks;
  for_each_task(tasks, [&](uint32_t task) { all |= tasks_[task].ancestors; });
  return all;
}

TaskSet Interpreter::before_reader_of(uint32_t number) const {
  const PlacedTensor& tensor = placed(number);
  TaskSet recorded;
  tensor.model.bytes.for_each(
      [&](uint32_t byte) { recorded |= buffers_[tensor.buffer].bytes[byte].recorded; });
  return with_ancestors(recorded);
}

TaskSet Interpreter::producers_of(const Submit& submit) const {
  TaskSet producers;
  for (const Param& param : submit.params) {
    if (!reads(param.use)) continue;
    const PlacedTensor& tensor = tensors_[param.tensor];
    tensor.model.bytes.for_each(
        [&](uint32_t byte) { producers |= buffers_[tensor.buffer].bytes[byte].recorded; });
  }
  for (const PipeParam& param : submit.pipes) {
    const auto pipe = pipes_.find({*pipe_group(submit), param.tag});
    if (pipe == pipes_.end()) continue;
    for (const uint32_t user : pipe->second.users) producers.set(user);
  }
  return producers;
}

bool Interpreter::parts_conflict(const Submit& submit) const {
  for (const Param& param : submit.params) {
    if (!records(param.use)) continue;
    const uint32_t buffer = placed(param.tensor).buffer;
    if (std::count_if(submit.params.begin(), submit.params.end(), [&](const Param& other) {
          return placed(other.tensor).buffer == buffer;
        }) != 1) {
      return true;
    }
  }
  return false;
}

Hazards Interpreter::hazards(const Submit& submit) const {
  const TaskSet ordered = with_ancestors(producers_of(submit));
  Hazards found;
  for (const Param& param : submit.params) {
    const PlacedTensor& tensor = placed(param.tensor);
    tensor.model.bytes.for_each([&](uint32_t byte) {
      const ByteHistory& history = buffers_[tensor.buffer].bytes[byte];
      found.undefined |= reads(param.use) && !history.defined;
      if (writes(param.use)) found.unordered |= history.read;
      if (param.use != Use::allocate) found.unordered |= history.wrote;
    });
  }
  found.unordered &= ~ordered;
  return found;
}

Interpreter interpret(const Program& program) {
  Interpreter result(program.external_bytes);
  for (const Step& step : program.steps) result.apply(step);
  return result;
}

}  // namespace pto2::graphs
