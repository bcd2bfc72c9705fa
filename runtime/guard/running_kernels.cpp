#include "runtime/guard/running_kernels.hpp"

#include <algorithm>

#include "runtime/guard/tensor_bytes.hpp"

namespace pto2::guard {

void WatchedKernel::watch(const GuardedTask& task) {
  task_ = &task;
  alone_ = true;
  watches_.clear();
  for (const GuardedParam& param : task.params) {
    watches_.push_back({&param, param.is_written() ? What::output : What::input});
    watches_.push_back({&param, What::beside});
  }
  allow(task);
}

void WatchedKernel::join(const GuardedTask& other) {
  alone_ = false;
  allow(other);
}

/// What the task may write is not watched.
void WatchedKernel::allow(const GuardedTask& writer) {
  for (Watch& watch : watches_) {
    if (watch.what == What::output && &writer == task_) continue;
    watch.shared = watch.shared || std::ranges::any_of(writer.params, [&](const auto& param) {
                     return may_write(param, watch);
                   });
  }
}

/// True also where it is not known.
bool WatchedKernel::may_write(const GuardedParam& writer, const Watch& watch) {
  if (!writer.is_written()) return false;
  const GuardedParam& watched = *watch.param;
  const uint64_t beside = watch.what == What::beside ? margin : 0;
  if (writer.end() <= watched.begin() - beside || watched.end() + beside <= writer.begin()) {
    return false;
  }
  // Counted from the begin of all memory: that of a buffer of the caller's may change.
  Region written = writer.tensor.region;
  written.shift(writer.tensor.base);
  Region region = watched.tensor.region;
  region.shift(watched.tensor.base);
  if (watch.what != What::beside) return relation(written, region) != Relation::disjoint;
  // Whoever writes the same elements does not write beside them.
  return relation(written, region) != Relation::covered ||
         relation(region, written) != Relation::covered;
}

/// Calls visit(address, bytes) for what is copied, always in the same order.
template <class Visit>
void WatchedKernel::for_each_window(const Watch& watch, Visit&& visit) const {
  if (watch.shared || watch.what == What::output) return;
  if (watch.what == What::beside) return for_each_margin(*watch.param, visit);
  for_each_sample(watch.param->tensor, local_of(task_->id), visit);
}

void WatchedKernel::copy() {
  copy_.clear();
  for (Watch& watch : watches_) {
    watch.copied_to = copy_.size();
    for_each_window(watch, [&](uint64_t address, uint64_t bytes) {
      const auto* const from = reinterpret_cast<const std::byte*>(address);
      copy_.insert(copy_.end(), from, from + bytes);
    });
  }
}

std::optional<Change> WatchedKernel::find_change() const {
  std::optional<Change> change;
  for (const Watch& watch : watches_) {
    const std::byte* copied = copy_.data() + watch.copied_to;
    for_each_window(watch, [&](uint64_t address, uint64_t bytes) {
      if (const auto damage = find_damage(address, copied, bytes)) {
        if (!change) change = Change{watch.param, watch.what == What::beside, {damage->first, 0}};
        change->damage.bytes += damage->bytes;
      }
      copied += bytes;
    });
    if (change) break;
  }
  return change;
}

bool WatchedKernel::is_shared(const GuardedParam& param) const {
  return std::ranges::any_of(watches_, [&](const Watch& watch) {
    return watch.param == &param && watch.what != What::beside && watch.shared;
  });
}

void RunningKernels::begin(WatchedKernel& kernel, const GuardedTask& task) {
  kernels_.reserve(kernels_.size() + 1);
  kernel.watch(task);
  for (const WatchedKernel* const other : kernels_) kernel.join(other->task());
  kernel.copy();
  for (WatchedKernel* const other : kernels_) other->join(task);
  kernels_.push_back(&kernel);
}

void RunningKernels::end(const WatchedKernel& kernel) {
  std::erase(kernels_, &kernel);
}

}  // namespace pto2::guard
