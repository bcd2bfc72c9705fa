#include "runtime/guard/memory_guard.hpp"

#include <new>

#include "runtime/executors/user_code.hpp"
#include "runtime/guard/findings.hpp"
#include "runtime/guard/values.hpp"

namespace pto2::guard {
namespace {

bool is_tensor(PTOParamType type) {
  return type == PTOParamType::INPUT || type == PTOParamType::OUTPUT || type == PTOParamType::INOUT;
}

/// The guard has no memory to go on with, which is not the kernel's fault.
GuardFinding starved() {
  GuardFinding finding = nothing_found;
  finding.kind = GuardFinding::Kind::starved;
  return finding;
}

}  // namespace

MemoryGuard::MemoryGuard(uint32_t rings, uint32_t window, uint32_t workers, bool values)
    : window_(window), values_(values), slots_(std::size_t{rings} * window) {
  workers_.reserve(workers);
  for (uint32_t i = 0; i < workers; ++i) workers_.emplace_back(*this, i);
}

std::optional<GuardFinding> MemoryGuard::open(const OpenedTask& task) {
  const auto found = release(task.heap_begin, task.heap_bytes);
  GuardedTask*& slot = slot_of(task.id);
  if (slot == nullptr) slot = &tasks_.emplace_back();
  GuardedTask& guarded = *slot;
  guarded.id = task.id;
  guarded.kernel = task.kernel;
  guarded.params.clear();
  guarded.has_others = false;
  guarded.has_begun = false;
  guarded.reads_nan = false;
  guarded.reads_unwritten = false;
  guarded.parts_to_end = task.parts;
  for (uint32_t i = 0; i < task.params.size(); ++i) add_param(guarded, task, i);
  return found;
}

std::optional<GuardFinding> MemoryGuard::close() {
  return release(0, UINT64_MAX);
}

/// What is wrong with buffers that are at their end.
std::optional<GuardFinding> MemoryGuard::release(uint64_t begin, uint64_t bytes) {
  if (bytes == 0) return std::nullopt;
  std::optional<GuardFinding> unwritten;
  if (values_) {
    const std::lock_guard lock(mutex_);
    unwritten = unwritten_.release(begin, bytes);
  }
  const auto damage = buffers_.release(begin, bytes);
  return damage ? finding_of(*damage) : unwritten;
}

void MemoryGuard::add_param(GuardedTask& guarded, const OpenedTask& task, uint32_t index) {
  const PTOParamType type = task.params[index].type;
  if (!is_tensor(type)) {
    guarded.has_others = true;
    // What comes through a pipe may be NaN, and copied from what nobody has written.
    const bool is_pipe = type != PTOParamType::SCALAR;
    guarded.reads_nan = guarded.reads_nan || is_pipe || is_nan(task.params[index].scalar);
    guarded.reads_unwritten = guarded.reads_unwritten || is_pipe;
    return;
  }
  const TensorRecord& tensor = *task.tensors[index];
  const bool is_new =
      type == PTOParamType::OUTPUT && !tensor.external && tensor.owner.task == task.id;
  if (is_new) {
    buffers_.add(tensor.base, {tensor.bytes(), task.id, task.kernel, index, tensor.shown()});
  }
  const bool is_filled = is_new && values_ && is_float(tensor.dtype);
  if (is_filled) fill(tensor);
  guarded.params.push_back({.tensor = tensor,
                            .type = type,
                            .index = index,
                            .buffer_bytes = tensor.external ? 0 : buffers_.bytes_of(tensor.base),
                            .is_new = is_new,
                            .is_filled = is_filled});
}

GuardFinding MemoryGuard::begin(GuardedTask& task, WatchedKernel& kernel) {
  const std::lock_guard lock(mutex_);
  const GuardFinding found = check_zones(task, GuardFinding::When::before);
  if (found.kind != GuardFinding::Kind::none) return found;
  try {
    running_.begin(kernel, task);
  } catch (const std::bad_alloc&) {
    return starved();
  }
  if (values_ && !task.has_begun) note_values(task, kernel);
  task.has_begun = true;
  const auto unwritten = unwritten_.read_by(kernel);
  if (!unwritten) return nothing_found;
  running_.end(kernel);
  return *unwritten;
}

GuardFinding MemoryGuard::end(GuardedTask& task, const WatchedKernel& kernel, uint32_t worker) {
  const std::lock_guard lock(mutex_);
  GuardFinding found = check_writes(kernel);
  const bool is_last = --task.parts_to_end == 0;
  if (found.kind != GuardFinding::Kind::none || !values_ || !is_last) return found;
  found = check_values(kernel);
  if (found.kind != GuardFinding::Kind::none) return found;
  try {
    note_unwritten(kernel, worker, unwritten_);
  } catch (const std::bad_alloc&) {
    return starved();
  }
  return nothing_found;
}

/// Leaves the kernels that run, also when an exception ends one.
class MemoryGuard::Worker::Stay {
 public:
  explicit Stay(Worker& worker) : worker_(worker) {}
  ~Stay() {
    const std::lock_guard lock(worker_.guard_.mutex_);
    worker_.guard_.running_.end(worker_.kernel_);
  }
  Stay(const Stay&) = delete;
  Stay& operator=(const Stay&) = delete;

 private:
  Worker& worker_;
};

GuardFinding MemoryGuard::Worker::run(TaskId id, KernelEntry kernel, int64_t* args) {
  executors::OurCode ours;
  GuardedTask& task = *guard_.slot_of(id);
  GuardFinding found = guard_.begin(task, kernel_);
  if (found.kind == GuardFinding::Kind::none) {
    const Stay stay(*this);
    ours.call(kernel, args);
    found = guard_.end(task, kernel_, number_);
  }
  if (found.when == GuardFinding::When::after) return found;
  found.kernel = task.kernel;
  found.task = id;
  found.worker = number_;
  return found;
}

}  // namespace pto2::guard
