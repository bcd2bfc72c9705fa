#include "tests/support/graph_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "runtime/executors/seeded_team.hpp"
#include "runtime/include/pto_kernel_api.h"
#include "tests/support/graph_values.hpp"

namespace pto2::graphs {
namespace {

/// Calls visit(address) for each element, in row-major order.
template <class Visit>
void for_each_element(const PTOTensor& tensor, Visit&& visit) {
  const uint64_t size = get_element_size(tensor.dtype);
  const auto& shape = tensor.shape;
  const auto& strides = tensor.strides;
  static_assert(PTO_MAX_DIMS == 5);
  for (uint64_t a = 0; a < shape[0]; ++a) {
    for (uint64_t b = 0; b < shape[1]; ++b) {
      for (uint64_t c = 0; c < shape[2]; ++c) {
        for (uint64_t d = 0; d < shape[3]; ++d) {
          for (uint64_t e = 0; e < shape[4]; ++e) {
            visit(tensor.address + size * (a * strides[0] + b * strides[1] + c * strides[2] +
                                           d * strides[3] + e * strides[4]));
          }
        }
      }
    }
  }
}

uint64_t hash_tensor(uint64_t hash, const PTOTensor& tensor) {
  const auto size = static_cast<uint32_t>(get_element_size(tensor.dtype));
  for_each_element(tensor, [&](uint64_t address) {
    hash = mix(hash, load_element(reinterpret_cast<const void*>(address), size));
  });
  return hash;
}

template <class Wanted>
uint64_t hash_tensors(uint64_t hash, const KernelTask& task, const int64_t* args, Wanted&& wanted) {
  for (std::size_t i = 0; i < task.uses.size(); ++i) {
    if (wanted(task.uses[i])) hash = hash_tensor(hash, pto_tensor(args, static_cast<int>(1 + i)));
  }
  return hash;
}

void write_outputs(uint64_t hash, const KernelTask& task, const int64_t* args) {
  for (std::size_t i = 0; i < task.uses.size(); ++i) {
    if (!writes(task.uses[i])) continue;
    const PTOTensor& tensor = pto_tensor(args, static_cast<int>(1 + i));
    const auto size = static_cast<uint32_t>(get_element_size(tensor.dtype));
    uint64_t element = 0;
    for_each_element(tensor, [&](uint64_t address) {
      store_element(reinterpret_cast<void*>(address), value_written(hash, i, element++), size);
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

/// The kernel of every task. Parameters are the KernelTask and the tensors. It reads everything,
/// twice, writes everything, and after some time looks whether all of it is still there.
void checking_kernel(int64_t* args) {
  auto& task = *reinterpret_cast<KernelTask*>(args[0]);
  task.started.fetch_add(1, std::memory_order_relaxed);
  for (const KernelTask* producer : task.producers) {
    if (producer->finished.load(std::memory_order_relaxed) == 0) {
      task.unfinished_producers.fetch_add(1, std::memory_order_relaxed);
    }
  }
  const uint64_t start = hash_of_task(task.number);
  const uint64_t hash = hash_tensors(start, task, args, reads);
  if (hash != task.before) task.wrong_before.store(true, std::memory_order_relaxed);
  pass_time(task.length / 2);
  if (hash_tensors(start, task, args, reads) != hash) {
    task.wrong_during.store(true, std::memory_order_relaxed);
  }
  write_outputs(hash, task, args);
  pass_time(task.length - task.length / 2);
  const auto has_data = [](Use use) { return use != Use::allocate; };
  if (hash_tensors(hash, task, args, has_data) != task.after) {
    task.wrong_after.store(true, std::memory_order_relaxed);
  }
  task.finished.fetch_add(1, std::memory_order_relaxed);
}

/// Makes the calls of a program.
class Caller {
 public:
  Caller(PTO2Runtime* rt, std::deque<KernelTask>& tasks,
         std::vector<std::vector<uint64_t>>& external)
      : rt_(rt), tasks_(tasks), external_(external) {}

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
    const auto worker = step.core == CoreType::cube ? PTO2_WORKER_CUBE : PTO2_WORKER_VECTOR;
    pto2_rt_submit_task(rt_, 0, worker, params.data(), static_cast<int32_t>(params.size()));
  }
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
    }
  }

 private:
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
  std::size_t submitted_ = 0;
  std::size_t depth_ = 1;  // scopes open, the outer one included
};

std::vector<std::string> problems_of(const KernelTask& task, bool complete) {
  std::vector<std::string> found;
  const auto say = [&](bool wrong, std::string what) {
    if (wrong) found.push_back(fmt::format("task {} {}", task.number, what));
  };
  const uint32_t started = task.started.load();
  say(started != task.finished.load(), "did not finish");
  say(started > 1 || (complete && started == 0), fmt::format("ran {} times", started));
  say(task.unfinished_producers.load() != 0,
      fmt::format("started before {} of its producers had finished",
                  task.unfinished_producers.load()));
  say(task.wrong_before.load(), "read something else than was written before it");
  say(task.wrong_during.load(), "saw what it reads change while it ran");
  say(task.wrong_after.load(), "saw its tensors change after it had written");
  return found;
}

}  // namespace

GraphRun::GraphRun(const Program& program, const Interpreter& predicted)
    : program_(program), predicted_(predicted) {
  for (const PredictedTask& from : predicted.tasks()) {
    KernelTask& task = tasks_.emplace_back();
    task.number = tasks_.size() - 1;
    task.length = from.length;
    for (const Param& param : from.params) task.uses.push_back(param.use);
    task.before = from.before;
    task.after = from.after;
    for_each_task(from.producers,
                  [&](uint32_t producer) { task.producers.push_back(&tasks_[producer]); });
  }
  tasks_.emplace_back().number = predicted.tasks().size();
  for (std::size_t number = 0; number < program.external_bytes.size(); ++number) {
    auto& words = external_.emplace_back((program.external_bytes[number] + 7) / 8);
    auto* bytes = reinterpret_cast<uint8_t*>(words.data());
    for (uint64_t i = 0; i < program.external_bytes[number]; ++i) {
      bytes[i] = initial_byte(number, i);
    }
  }
}

Launch GraphRun::launch() {
  static constexpr KernelEntry kernels[] = {checking_kernel};
  return {kernels, [this](PTO2Runtime* rt) { orchestrate(rt); }, {}};
}

void GraphRun::orchestrate(PTO2Runtime* rt) {
  Caller caller(rt, tasks_, external_);
  for (const Step& step : program_.steps) std::visit(caller, step);
}

std::vector<std::string> GraphRun::problems(std::size_t submitted, bool complete) const {
  std::vector<std::string> found;
  for (const KernelTask& task : tasks_) {
    if (task.number < submitted) {
      const std::vector<std::string> of_task = problems_of(task, complete);
      found.insert(found.end(), of_task.begin(), of_task.end());
    } else if (task.started.load() != 0) {
      found.push_back(fmt::format("task {} ran, though it was not accepted", task.number));
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
