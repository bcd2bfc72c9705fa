#include "stress/graphs/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "runtime/executors/seeded_team.hpp"
#include "runtime/include/pto_kernel_api.h"
#include "stress/graphs/values.hpp"

namespace pto2::graphs {
namespace {

/// Calls visit(address, number) for each element of the share, in row-major order.
template <class Visit>
void for_each_element(const PTOTensor& tensor, const Share& share, Visit&& visit) {
  const uint64_t size = get_element_size(tensor.dtype);
  const auto& shape = tensor.shape;
  const auto& strides = tensor.strides;
  uint64_t number = 0;
  static_assert(PTO_MAX_DIMS == 5);
  for (uint64_t a = 0; a < shape[0]; ++a) {
    for (uint64_t b = 0; b < shape[1]; ++b) {
      for (uint64_t c = 0; c < shape[2]; ++c) {
        for (uint64_t d = 0; d < shape[3]; ++d) {
          for (uint64_t e = 0; e < shape[4]; ++e) {
            const uint64_t element = number++;
            if (!share.has(element)) continue;
            visit(tensor.address + size * (a * strides[0] + b * strides[1] + c * strides[2] +
                                           d * strides[3] + e * strides[4]),
                  element);
          }
        }
      }
    }
  }
}

uint64_t hash_tensor(uint64_t hash, const PTOTensor& tensor, const Share& share) {
  const auto size = static_cast<uint32_t>(get_element_size(tensor.dtype));
  for_each_element(tensor, share, [&](uint64_t address, uint64_t) {
    hash = mix(hash, load_element(reinterpret_cast<const void*>(address), size));
  });
  return hash;
}

/// `share`: of what the task writes.
template <class Wanted>
uint64_t hash_tensors(uint64_t hash, const KernelTask& task, const Share& share,
                      const int64_t* args, Wanted&& wanted) {
  for (std::size_t i = 0; i < task.uses.size(); ++i) {
    if (!wanted(task.uses[i])) continue;
    const PTOTensor& tensor = pto_tensor(args, static_cast<int>(1 + i));
    hash = hash_tensor(hash, tensor, records(task.uses[i]) ? share : Share{});
  }
  return hash;
}

void write_outputs(uint64_t hash, const KernelTask& task, const Share& share, const int64_t* args) {
  for (std::size_t i = 0; i < task.uses.size(); ++i) {
    if (!writes(task.uses[i])) continue;
    const PTOTensor& tensor = pto_tensor(args, static_cast<int>(1 + i));
    const auto size = static_cast<uint32_t>(get_element_size(tensor.dtype));
    for_each_element(tensor, share, [&](uint64_t address, uint64_t element) {
      store_element(reinterpret_cast<void*>(address), value_written(hash, i, element), size);
    });
  }
}

/// Lets others go on: by a point of the schedule each in a seeded run, by taking time elsewhere.
/// Where kernels end last, the others have come to rest before the kernel began.
void pass_time(uint32_t steps) {
  auto* const team = executors::SeededTeam::current();
  for (uint32_t i = 0; i < steps; ++i) {
    if (team != nullptr && !team->kernels_last()) team->point();
    for (int turn = 0; turn < 50; ++turn) asm volatile("");
  }
}

/// A push of `bytes` bytes with this word at its start and its end, in one of two ways.
bool push(const int64_t* args, int argument, uint64_t value, uint64_t bytes, bool in_place) {
  const auto fill = [&](void* to) {
    auto* const first = static_cast<std::byte*>(to);
    std::memcpy(first, &value, sizeof value);
    std::memcpy(first + bytes - sizeof value, &value, sizeof value);
  };
  if (in_place) {
    void* const slot = TPUSH(args, argument);
    if (slot != nullptr) fill(slot);
    return slot != nullptr;
  }
  std::vector<std::byte> copy(bytes);
  fill(copy.data());
  return TPUSH(args, argument, copy.data(), bytes);
}

/// A step with a pipe; false if it is refused.
bool do_step(PipeStep step, const int64_t* args, int argument, uint64_t number, uint64_t& hash) {
  const uint64_t bytes = pto_pipe(args, argument).slot_bytes;
  if (step == PipeStep::release) return TFREE(args, argument);
  if (step != PipeStep::pop) {
    const bool oversized = step == PipeStep::oversized;
    return push(args, argument, value_pushed(hash, number), bytes + (oversized ? 1 : 0),
                !oversized && number % 2 == 0);
  }
  const auto* const entry = static_cast<const std::byte*>(TPOP(args, argument));
  if (entry == nullptr) return false;
  uint64_t words[2];
  std::memcpy(&words[0], entry, sizeof words[0]);
  std::memcpy(&words[1], entry + bytes - sizeof words[1], sizeof words[1]);
  hash = hash_popped(hash, words[0], words[1]);
  return true;
}

/// All steps with pipes; false at the first that is refused.
bool do_steps(const KernelTask& task, const int64_t* args, uint64_t& hash) {
  uint64_t number = 0;
  for (std::size_t i = 0; i < task.pipes.size(); ++i) {
    const int argument = static_cast<int>(1 + task.uses.size() + i);
    for (const PipeStep step : task.pipes[i].steps) {
      if (!do_step(step, args, argument, number++, hash)) return false;
    }
  }
  return true;
}

/// The part of the task that the kernel is told to be, behind its parameters. What it does not know
/// it takes for the first.
KernelPart& part_of(KernelTask& task, const int64_t* args, Share& share) {
  if (task.block_dim == 0) return task.parts.front();
  const std::size_t behind = 1 + task.uses.size() + task.pipes.size();
  share = {task.block_dim, static_cast<uint64_t>(args[behind + 1])};
  if (args[behind] == static_cast<int64_t>(task.block_dim) && share.part < task.parts.size()) {
    return task.parts[share.part];
  }
  share.part = 0;
  task.parts.front().confused.store(true, std::memory_order_relaxed);
  return task.parts.front();
}

/// The kernel of every task. Parameters are the KernelTask, the tensors and the pipes. It reads
/// everything, twice, uses the pipes, writes everything, and after some time looks whether all of
/// it is still there. As a part of a block task it does so with its share of what the task writes.
/// If a pipe refuses something it returns at once.
void checking_kernel(int64_t* args) {
  auto& task = *reinterpret_cast<KernelTask*>(args[0]);
  Share share;
  KernelPart& part = part_of(task, args, share);
  part.started.fetch_add(1, std::memory_order_relaxed);
  for (const KernelTask* producer : task.producers) {
    if (producer->finished_parts.load(std::memory_order_relaxed) < producer->parts.size()) {
      part.unfinished_producers.fetch_add(1, std::memory_order_relaxed);
    }
  }
  const uint64_t start =
      task.block_dim == 0 ? hash_of_task(task.number) : hash_of_part(task.number, share.part);
  uint64_t hash = hash_tensors(start, task, share, args, reads);
  if (hash != part.before) part.wrong_before.store(true, std::memory_order_relaxed);
  pass_time(task.length / 2);
  if (hash_tensors(start, task, share, args, reads) != hash) {
    part.wrong_during.store(true, std::memory_order_relaxed);
  }
  if (!do_steps(task, args, hash)) {
    part.stopped.store(true, std::memory_order_relaxed);
    part.finished.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  if (hash != part.piped) part.wrong_piped.store(true, std::memory_order_relaxed);
  write_outputs(hash, task, share, args);
  pass_time(task.length - task.length / 2);
  const auto has_data = [](Use use) { return use != Use::allocate; };
  if (hash_tensors(hash, task, share, args, has_data) != part.after) {
    part.wrong_after.store(true, std::memory_order_relaxed);
  }
  part.finished.fetch_add(1, std::memory_order_relaxed);
  task.finished_parts.fetch_add(1, std::memory_order_relaxed);
}

/// Makes the calls of a program.
class Caller {
 public:
  Caller(PTO2Runtime* rt, std::deque<KernelTask>& tasks,
         std::vector<std::vector<uint64_t>>& external, uint32_t clusters)
      : rt_(rt),
        tasks_(tasks),
        external_(external),
        past_clusters_(static_cast<int32_t>(clusters)) {}

  void operator()(const ScopeBegin&) {
    rt_->ops->scope_begin(rt_);
    ++depth_;
  }
  void operator()(const ScopeEnd&) {
    rt_->ops->scope_end(rt_);
    --depth_;
  }
  void operator()(const Make& step) { made(make(0, step.shape, step.dtype)); }
  void operator()(const External& step) {
    const auto address = reinterpret_cast<uint64_t>(external_[step.buffer].data());
    made(make(address, step.shape, step.dtype));
  }
  void operator()(const View& step) {
    made(rt_->ops->view(rt_, handles_[step.of], step.shape.data(), step.offsets.data()));
  }
  void operator()(const Reshape& step) {
    const auto dimensions = static_cast<uint32_t>(step.shape.size());
    made(rt_->ops->reshape(rt_, handles_[step.of], step.shape.data(), dimensions));
  }
  void operator()(const Transpose& step) {
    made(rt_->ops->transpose(rt_, handles_[step.of], step.x, step.y));
  }
  void operator()(const Submit& step) {
    // The last one stands for all that are not accepted.
    KernelTask& task = tasks_[std::min(submitted_++, tasks_.size() - 1)];
    std::vector<PTOParam> params{make_scalar_param(reinterpret_cast<uint64_t>(&task))};
    for (const Param& param : step.params) {
      params.push_back({type_of(param.use), {handles_[param.tensor]}, 0});
    }
    for (const PipeParam& pipe : step.pipes) params.push_back(param_of(pipe));
    const auto worker = static_cast<int32_t>(step.core);
    const auto count = static_cast<int32_t>(params.size());
    if (step.block_dim != 0) {
      submit_block(step, worker, params);
    } else if (step.group) {
      pto2_rt_submit_task_clustered(rt_, 0, worker, params.data(), count, clusters_[*step.group]);
    } else {
      pto2_rt_submit_task(rt_, 0, worker, params.data(), count);
    }
  }
  void operator()(const Allocate&) { clusters_.push_back(pto2_rt_allocate_cluster(rt_)); }
  void operator()(const Free& step) { pto2_rt_free_cluster(rt_, clusters_[step.group]); }
  void operator()(const Misuse& step) {
    switch (step) {
      case Misuse::unknown_kernel:
        return rt_->ops->submit_task(rt_, 1, PTO2_WORKER_VECTOR, nullptr, 0);
      case Misuse::unknown_worker:
        return rt_->ops->submit_task(rt_, 0, 7, nullptr, 0);
      case Misuse::task_after_done:
        rt_->ops->orchestration_done(rt_);
        return rt_->ops->submit_task(rt_, 0, PTO2_WORKER_VECTOR, nullptr, 0);
      case Misuse::scope_end_too_many:
        for (; depth_ != 0; --depth_) rt_->ops->scope_end(rt_);
        return rt_->ops->scope_end(rt_);
      case Misuse::exception:
        throw std::runtime_error("of the program");
      case Misuse::unknown_exception:
        throw 1;
      default:
        return misuse_cluster(step);
    }
  }

 private:
  void submit_block(const Submit& step, int32_t worker, const std::vector<PTOParam>& params) {
    std::vector<int32_t> ids;
    for (const uint32_t group : step.part_groups) ids.push_back(clusters_[group]);
    pto2_rt_submit_block_task_clustered(
        rt_, 0, worker, params.data(), static_cast<int32_t>(params.size()),
        static_cast<int32_t>(step.block_dim), ids.empty() ? nullptr : ids.data());
  }
  void submit_to(int32_t cluster) {
    pto2_rt_submit_task_clustered(rt_, 0, PTO2_WORKER_VECTOR, nullptr, 0, cluster);
  }
  void misuse_cluster(Misuse kind) {
    if (kind == Misuse::cluster_too_low) submit_to(-2);
    if (kind == Misuse::cluster_too_high) submit_to(past_clusters_);
    if (kind == Misuse::free_any_core) pto2_rt_free_cluster(rt_, -1);
    if (kind == Misuse::unallocated) submit_to(0);
    if (kind == Misuse::free_unallocated) pto2_rt_free_cluster(rt_, 0);
    constexpr int32_t vector = PTO2_WORKER_VECTOR;
    if (kind == Misuse::no_parts) pto2_rt_submit_block_task(rt_, 0, vector, nullptr, 0, 0);
    if (kind == Misuse::too_many_parts) {
      pto2_rt_submit_block_task(rt_, 0, vector, nullptr, 0, 65536);
    }
    if (kind == Misuse::part_too_high) {
      pto2_rt_submit_block_task_clustered(rt_, 0, vector, nullptr, 0, 1, &past_clusters_);
    }
  }
  static PTOParam param_of(const PipeParam& pipe) {
    if (!pipe.sizes) {
      return pipe.out ? make_pipe_out_param(pipe.tag) : make_pipe_in_param(pipe.tag);
    }
    const auto [capacity, bytes] = *pipe.sizes;
    return pipe.out ? make_pipe_out_param(pipe.tag, capacity, bytes)
                    : make_pipe_in_param(pipe.tag, capacity, bytes);
  }
  static PTOParamType type_of(Use use) {
    if (use == Use::input) return PTOParamType::INPUT;
    return use == Use::inout ? PTOParamType::INOUT : PTOParamType::OUTPUT;
  }
  // Through the table instead of make_tensor(), which knows one runtime per image only.
  uint64_t make(uint64_t address, const Extents& shape, DataType dtype) {
    return rt_->ops->make_tensor(rt_, address, shape.data(), static_cast<uint32_t>(shape.size()),
                                 dtype);
  }
  void made(uint64_t handle) { handles_.push_back(handle); }

  PTO2Runtime* rt_;
  std::deque<KernelTask>& tasks_;
  std::vector<std::vector<uint64_t>>& external_;
  std::vector<uint64_t> handles_;
  std::vector<int32_t> clusters_;  // by group
  int32_t past_clusters_;          // the first that the chip does not have
  std::size_t submitted_ = 0;
  std::size_t depth_ = 1;  // scopes open, the outer one included
};

/// `name`: "task 3", or "part 1 of task 3".
void add_problems(const KernelPart& part, const std::string& name, bool complete,
                  std::vector<std::string>& found) {
  const auto say = [&](bool wrong, const std::string& what) {
    if (wrong) found.push_back(fmt::format("{} {}", name, what));
  };
  const uint32_t started = part.started.load();
  say(started != part.finished.load(), "did not finish");
  say(started > 1 || (complete && started == 0), fmt::format("ran {} times", started));
  say(part.confused.load(), "or another was told a part that there is not");
  say(part.unfinished_producers.load() != 0,
      fmt::format("started before {} of its producers had finished",
                  part.unfinished_producers.load()));
  say(part.wrong_before.load(), "read something else than was written before it");
  say(part.wrong_during.load(), "saw what it reads change while it ran");
  say(part.wrong_piped.load(), "popped something else than was pushed before it");
  say(part.wrong_after.load(), "saw its tensors change after it had written");
}

/// `accepted`: it was submitted. `complete`: and must have run.
void add_problems(const KernelTask& task, bool accepted, bool complete,
                  std::vector<std::string>& found) {
  for (std::size_t i = 0; i < task.parts.size(); ++i) {
    const std::string name = task.block_dim == 0
                                 ? fmt::format("task {}", task.number)
                                 : fmt::format("part {} of task {}", i, task.number);
    if (accepted) {
      add_problems(task.parts[i], name, complete, found);
    } else if (task.parts[i].started.load() != 0) {
      found.push_back(fmt::format("{} ran, though it was not accepted", name));
    }
  }
}

}  // namespace

GraphRun::GraphRun(const Program& program, const Interpreter& predicted, uint32_t clusters)
    : program_(program), predicted_(predicted), clusters_(clusters) {
  for (const PredictedTask& from : predicted.tasks()) {
    KernelTask& task = tasks_.emplace_back();
    task.number = tasks_.size() - 1;
    task.length = from.length;
    for (const Param& param : from.params) task.uses.push_back(param.use);
    task.pipes = from.pipes;
    task.block_dim = from.block_dim;
    for (const PredictedPart& part : from.parts) {
      KernelPart& told = task.parts.emplace_back();
      told.before = part.before;
      told.piped = part.piped;
      told.after = part.after;
    }
    for_each_task(from.producers,
                  [&](uint32_t producer) { task.producers.push_back(&tasks_[producer]); });
  }
  KernelTask& refused = tasks_.emplace_back();
  refused.number = predicted.tasks().size();
  refused.parts.emplace_back();
  for (std::size_t number = 0; number < program.external_bytes.size(); ++number) {
    external_.emplace_back((program.external_bytes[number] + 7) / 8);
  }
  fill_memory();
}

void GraphRun::fill_memory() {
  for (std::size_t number = 0; number < external_.size(); ++number) {
    auto* bytes = reinterpret_cast<uint8_t*>(external_[number].data());
    for (uint64_t i = 0; i < program_.external_bytes[number]; ++i) {
      bytes[i] = initial_byte(number, i);
    }
  }
}

void GraphRun::reset() {
  fill_memory();
  for (KernelTask& task : tasks_) {
    task.finished_parts = 0;
    for (KernelPart& part : task.parts) {
      part.started = part.finished = part.unfinished_producers = 0;
      for (std::atomic<bool>* found : {&part.confused, &part.wrong_before, &part.wrong_during,
                                       &part.wrong_piped, &part.stopped, &part.wrong_after}) {
        *found = false;
      }
    }
  }
}

Launch GraphRun::launch() {
  static constexpr KernelEntry kernels[] = {checking_kernel};
  return {kernels, [this](PTO2Runtime* rt) { orchestrate(rt); }, {}};
}

void GraphRun::orchestrate(PTO2Runtime* rt) {
  Caller caller(rt, tasks_, external_, clusters_);
  for (const Step& step : program_.steps) std::visit(caller, step);
}

std::vector<std::string> GraphRun::problems(std::size_t submitted, bool complete,
                                            std::optional<uint32_t> faulty) const {
  std::vector<std::string> found;
  for (const KernelTask& task : tasks_) {
    add_problems(task, task.number < submitted, complete, found);
    const bool stopped = task.parts.front().stopped.load();
    const bool must_stop = faulty && task.number == *faulty;
    if (stopped != must_stop) {
      found.push_back(fmt::format("task {} was {}refused something by a pipe", task.number,
                                  stopped ? "" : "not "));
    }
    const bool is_accepted = task.number < predicted_.tasks().size();
    if (!faulty || !is_accepted || !predicted_.tasks()[task.number].ancestors[*faulty]) continue;
    const auto has_run = [](const KernelPart& part) { return part.started.load() != 0; };
    if (std::ranges::any_of(task.parts, has_run)) {
      found.push_back(fmt::format("task {} ran, though it comes after the fault", task.number));
    }
  }
  return found;
}

std::vector<std::string> GraphRun::wrong_memory() const {
  std::vector<std::string> found;
  for (std::size_t number = 0; number < external_.size(); ++number) {
    const auto* bytes = reinterpret_cast<const uint8_t*>(external_[number].data());
    const std::vector<uint8_t>& expected = predicted_.buffers()[number].contents;
    const auto difference = std::mismatch(expected.begin(), expected.end(), bytes).first;
    if (difference != expected.end()) {
      found.push_back(fmt::format("byte {} of external buffer {} is wrong in the end",
                                  difference - expected.begin(), number));
    }
  }
  return found;
}

}  // namespace pto2::graphs
