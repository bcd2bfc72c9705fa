#include "runtime/orchestrator/requirement.hpp"

namespace pto2 {

void HeapRequirement::place_in_all(uint64_t bytes) {
  const uint64_t before = sum_;
  sum_ += bytes;
  until_event_ = never;
  for (uint32_t i = 0; i < candidates; ++i) {
    if (refused_ >> i & 1) continue;
    if (bytes >= next_event_[i] - before && !place(i, before, bytes)) continue;
    until_event_ = std::min(until_event_, next_event_[i] - sum_);
  }
}

/// Places the last buffer in heap `i`. False: that heap is too small.
bool HeapRequirement::place(uint32_t i, uint64_t before, uint64_t bytes) {
  if (tails_[i].drain != drains_) tails_[i] = {drains_, offsets_[i]};
  uint64_t tail = tail_sum_ - tails_[i].offset;
  const HeapPlacement placed = find_placement(before - offsets_[i], tail, size(i), bytes);
  if (!placed.fits) {
    refused_ |= uint64_t{1} << i;
    return false;
  }
  if (placed.restarted) {
    tails_[i].offset = tail_sum_;
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

void ResourceRequirement::submit_first(Ring& books, const TaskDemand& demand) {
  PTO2_INVARIANT("RR-P1", depth_ > 0);
  books.holder_depth = depth_;
  books.submit(demand, true);
}

void ResourceRequirement::scope_end() {
  PTO2_INVARIANT("RR-P1", depth_ > 0);
  for (uint32_t r = 0; r < max_rings; ++r) {
    Ring& ring = rings_[r];
    if (ring.holder_depth != depth_) continue;
    ring.holder_depth = 0;
    ring.max_live = ring.most_live(local_of(oldest_[r]));
    ring.max_nodes = ring.most_nodes();
    oldest_[r] = make_id(RingId(r), ring.submitted);
    ring.live_nodes = 0;
  }
  --depth_;
}

RingRequirement ResourceRequirement::ring(RingId ring) const {
  const Ring& from = rings_[ring.value];
  // A slot is given out while live < window - 1, and the last one was given out before it was live.
  const uint64_t window = std::bit_ceil(std::max<uint64_t>(from.most_live(watermark(ring)) + 1, 4));
  return {window, from.heap.smallest_size(), from.most_nodes()};
}

}  // namespace pto2
