#include "runtime/guard/heap_buffers.hpp"

#include <algorithm>
#include <iterator>

namespace pto2::guard {
namespace {

std::optional<LateDamage> damage_of(uint64_t address, const HeapBuffer& buffer) {
  if (const auto damage = damage_in_front(address)) return LateDamage{buffer, true, *damage};
  if (const auto damage = damage_behind(address, buffer.bytes)) {
    return LateDamage{buffer, false, *damage};
  }
  return std::nullopt;
}

}  // namespace

void HeapBuffers::add(uint64_t address, const HeapBuffer& buffer) {
  paint_zones(address, buffer.bytes);
  buffers_[address] = buffer;
}

/// With the one before, if its zone behind reaches into the range, and the one after, if its zone
/// in front does: the tasks of a heap that is used again need not be as large as the former ones.
std::optional<LateDamage> HeapBuffers::release(uint64_t begin, uint64_t bytes) {
  if (bytes == 0) return std::nullopt;
  auto from = buffers_.lower_bound(begin);
  if (from != buffers_.begin()) {
    const auto& [address, buffer] = *std::prev(from);
    if (address + packed_output_bytes(buffer.bytes + guarded_zones.behind) > begin) --from;
  }
  const uint64_t end = begin + std::min(bytes, UINT64_MAX - red_zone - begin) + red_zone;
  const auto to = buffers_.lower_bound(end);
  std::optional<LateDamage> first;
  for (auto place = from; place != to && !first; ++place) {
    first = damage_of(place->first, place->second);
  }
  buffers_.erase(from, to);
  return first;
}

}  // namespace pto2::guard
