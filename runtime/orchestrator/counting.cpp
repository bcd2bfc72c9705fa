#include "runtime/orchestrator/counting.hpp"

#include <algorithm>
#include <utility>

namespace pto2 {

void Counting::begin(Deadlock deadlock, const PerRing& next, const PerRing& alive, uint64_t now) {
  deadlock_ = std::move(deadlock);
  since_ = now;
  next_ = next;
  alive_ = alive;
}

/// The map grows with the ids.
void Counting::observe(RingId ring, TensorMap& map) {
  for (uint32_t r = 0; r < rings_; ++r) {
    alive_[r] = std::max(alive_[r], requirement_.watermark(RingId(r)));
  }
  map.sync(alive_, true);
  while (next_[ring.value] - alive_[ring.value] + 1 >= map.config().window) {
    map.enlarge(2 * map.config().window, 0);
  }
}

bool Counting::count_only(Submission& task, Dataflow& dataflow, uint64_t now) {
  constexpr uint64_t nowhere = uint64_t{1} << 46;
  submit(task);
  ++tasks_;
  // More than any heap has could run past the end of the address space, and come to no address.
  if (task.heap_bytes > heap_range.high) [[unlikely]] {
    for (NewOutput& output : task.outputs) output.offset = 0;
  }
  const TaskId id = make_id(task.ring, next_[task.ring.value]++);
  TensorMap& map = dataflow.map();
  entries_ = std::max<uint64_t>(entries_, map.live() + task.inserts());
  while (!map.reserve(task.inserts())) {
    map.enlarge(0, larger_pool(map.config().pool_size));
  }
  dataflow.place(task, task.needs(), id, nowhere,
                 [](const Submission&, uint32_t, const TensorRecord&) {});
  return goes_on(now);
}

/// Nodes that were taken for producers which retire in time in the best case are in use all the
/// same, so the pool that has failed need not be smaller than that of the best case.
void Counting::add_late_nodes() {
  const uint64_t needed = deadlock_.used + deadlock_.requested;
  if (*deadlock_.sufficient >= needed) return;
  deadlock_.sufficient = needed;
  deadlock_.is_smallest = false;
}

RunError Counting::finish(bool to_end, const ClusterGroups& groups, const DeviceConfig& config) {
  const Resource resource = deadlock_.resource;
  deadlock_.is_smallest = to_end;
  deadlock_.sufficient = resource == Resource::clusters ? groups.most_open()
                         : resource == Resource::tensormap_pool
                             ? entries_
                             : sufficient_size(requirement_, resource);
  if (resource == Resource::dependency_pool) add_late_nodes();
  if (deadlock_.sufficient) {
    deadlock_.refusal = refusal_of_size(config, resource, *deadlock_.sufficient);
  }
  return describe_deadlock(deadlock_);
}

}  // namespace pto2
