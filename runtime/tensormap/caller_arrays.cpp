#include "runtime/tensormap/caller_arrays.hpp"

#include <algorithm>
#include <limits>

namespace pto2 {
namespace {

/// One past the last byte; of an array that no memory holds, the end of all memory.
uint64_t end_of(const CallerArray& array) {
  constexpr uint64_t most = std::numeric_limits<uint64_t>::max();
  return array.bytes > most - array.address ? most : array.address + array.bytes;
}

}  // namespace

CallerArrays::CallerArrays(std::span<const CallerArray> arrays) {
  for (const CallerArray& array : arrays) {
    if (array.address != 0) arrays_.push_back({array, 0});
  }
  std::stable_sort(arrays_.begin(), arrays_.end(), [](const Entry& a, const Entry& b) {
    return a.array.address < b.array.address;
  });
  for (std::size_t i = 1; i < arrays_.size(); ++i) {
    const std::size_t before = arrays_[i - 1].widest;
    arrays_[i].widest = end_of(arrays_[i].array) < end_of(arrays_[before].array) ? before : i;
  }
}

const CallerArray* CallerArrays::left_by(uint64_t address, uint64_t bytes) const {
  const auto behind = std::upper_bound(
      arrays_.begin(), arrays_.end(), address,
      [](uint64_t place, const Entry& entry) { return place < entry.array.address; });
  if (behind == arrays_.begin()) return nullptr;
  // If one of those that begin here or before holds it all, so does the one that ends last.
  const CallerArray& array = arrays_[std::prev(behind)->widest].array;
  const uint64_t end = end_of(array);
  // An array without bytes holds nothing, but who begins where it is means it.
  const bool begins_in_it = address < end || address == array.address;
  return begins_in_it && address + bytes > end ? &array : nullptr;
}

}  // namespace pto2
