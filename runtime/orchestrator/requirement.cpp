#include "runtime/orchestrator/requirement.hpp"

#include <algorithm>
#include <bit>

#include "core/assert.hpp"

namespace pto2 {

void HeapRequirement::place_in_all(uint64_t bytes, bool drained) {
  const uint64_t before = sum_;
  sum_ += bytes;
  until_event_ = never;
  for (uint32_t i = 0; i < candidates; ++i) {
    if (refused_ >> i & 1) continue;
    if (bytes >= next_event_[i] - before && !place(i, before, bytes, drained)) continue;
    until_event_ = std::min(until_event_, next_event_[i] - sum_);
  }
}

/// Places the last buffer in heap `i`. False: that heap is too small.
bool HeapRequirement::place(uint32_t i, uint64_t before, uint64_t bytes, bool drained) {
  uint64_t tail = tail_sum_ - tail_[i];
  const HeapPlacement placed = find_placement(before - offsets_[i], tail, size(i), bytes, drained);
  if (!placed.fits) {
    refused_ |= uint64_t{1} << i;
    return false;
  }
  if (placed.restarted) {
    tail_[i] = tail_sum_;
    tail = 0;
  }
  offsets_[i] = sum_ - placed.end;
  next_event_[i] = sum_ + (placed.end < tail ? tail : size(i)) - placed.end;
  return true;
}

std::optional<uint64_t> HeapRequirement::smallest_size() const {
  const auto index = static_cast<uint32_t>(std::countr_one(refused_));
  if (index >= candidates) return std::nullopt;
  return size(index);
}

void ResourceRequirement::scope_end() {
  PTO2_INVARIANT("RR-P1", depth_ > 0);
  for (Ring& ring : rings_) {
    if (ring.holder_depth != depth_) continue;
    ring.holder_depth = 0;
    ring.oldest = ring.submitted;
    ring.live_nodes = 0;
    live_map_entries_ -= ring.live_entries;
    ring.live_entries = 0;
  }
  --depth_;
}

void ResourceRequirement::submit(RingId ring_id, const TaskDemand& demand) {
  PTO2_INVARIANT("RR-P1", depth_ > 0);
  PTO2_INVARIANT("RR-P2", ring_id < max_rings);
  Ring& ring = rings_[ring_id.value];
  const bool drained = ring.holder_depth == 0;
  if (drained) ring.holder_depth = depth_;
  ring.max_live = std::max(ring.max_live, ring.submitted - ring.oldest);
  ++ring.submitted;

  ring.heap.submit(demand.heap_bytes, drained);

  ring.live_nodes += demand.dep_nodes;
  ring.max_nodes = std::max(ring.max_nodes, ring.live_nodes);

  for (TaskId producer : demand.replaced) {
    // The entries of retired tasks were given back before.
    if (!can_be_live(producer)) continue;
    --rings_[ring_of(producer).value].live_entries;
    --live_map_entries_;
  }
  ring.live_entries += demand.map_entries;
  live_map_entries_ += demand.map_entries;
  max_map_entries_ = std::max(max_map_entries_, live_map_entries_);
}

RingRequirement ResourceRequirement::ring(RingId ring) const {
  const Ring& from = rings_[ring.value];
  // A slot is given out while live < window - 1.
  const uint64_t window = std::bit_ceil(std::max<uint64_t>(from.max_live + 2, 4));
  return {window, from.heap.smallest_size(), from.max_nodes};
}

}  // namespace pto2
