/// Where the elements of a tensor lie, and what lies beside them.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "runtime/guard/guarded_task.hpp"

namespace pto2::guard {

/// The runs of elements of a tensor: they lie without a gap in each, and repeat in up to
/// PTO_MAX_DIMS dimensions.
class ElementRuns {
 public:
  explicit ElementRuns(const TensorRecord& tensor);

  /// Calls visit(address, bytes) for each, from the lowest address to the highest.
  template <class Visit>
  void for_each(Visit&& visit) const {
    std::array<uint64_t, PTO_MAX_DIMS> at{};
    uint64_t address = begin_;
    for (;;) {
      visit(address, bytes_);
      uint32_t d = 0;
      for (; d < count_ && at[d] + 1 == dims_[d].extent; ++d) {
        address -= at[d] * dims_[d].stride;
        at[d] = 0;
      }
      if (d == count_) return;
      ++at[d];
      address += dims_[d].stride;
    }
  }

 private:
  struct Dimension {
    uint64_t stride;  // bytes
    uint64_t extent;
  };
  void add(const Dimension& dimension);

  uint64_t begin_;
  uint64_t bytes_;
  uint32_t count_ = 0;
  std::array<Dimension, PTO_MAX_DIMS> dims_;  // in which runs repeat, the shortest stride first
};

template <class Visit>
void for_each_run(const TensorRecord& tensor, Visit&& visit) {
  ElementRuns(tensor).for_each(visit);
}

/// Most bytes of a tensor that are copied.
inline constexpr uint64_t sampled_bytes = uint64_t{16} << 10;

/// Calls visit(address, bytes) for all elements of a tensor or, if it is large, for a sample of
/// sampled_bytes bytes: a quarter at either end, and the rest from a place that depends on `turn`.
template <class Visit>
void for_each_sample(const TensorRecord& tensor, uint64_t turn, Visit&& visit) {
  struct Range {
    uint64_t from, to;
  };
  constexpr uint64_t quarter = sampled_bytes / 4;
  const uint64_t all = tensor.bytes();
  std::array<Range, 3> ranges{Range{0, all}, {all, all}, {all, all}};
  if (all > sampled_bytes) {
    const uint64_t places = (all - 2 * quarter - 1) / (2 * quarter) + 1;
    const uint64_t middle = std::min(quarter + turn % places * (2 * quarter), all - 3 * quarter);
    ranges = {Range{0, quarter}, {middle, middle + 2 * quarter}, {all - quarter, all}};
  }
  uint64_t at = 0;
  for_each_run(tensor, [&](uint64_t address, uint64_t bytes) {
    for (const Range& range : ranges) {
      const uint64_t from = std::max(at, range.from);
      const uint64_t to = std::min(at + bytes, range.to);
      if (from < to) visit(address + (from - at), to - from);
    }
    at += bytes;
  });
}

/// How far beside its elements a tensor is watched.
inline constexpr uint64_t margin = 64;

/// Calls visit(address, bytes) for what lies within `margin` bytes of an element and is no element,
/// but for what is outside of the buffer. Of memory of the caller that is what lies between the
/// elements: the caller alone knows where it ends.
template <class Visit>
void for_each_margin(const GuardedParam& param, Visit&& visit) {
  const bool is_of_heap = param.buffer_bytes != 0;
  const uint64_t low = is_of_heap ? param.tensor.base : param.begin();
  const uint64_t high = is_of_heap ? low + param.buffer_bytes : param.end();
  const auto show = [&](uint64_t begin, uint64_t end) {
    if (begin < end) visit(begin, end - begin);
  };
  uint64_t shown = low;  // nothing is left to be shown up to here
  uint64_t last = 0;     // end of the run before; 0: there is none
  for_each_run(param.tensor, [&](uint64_t begin, uint64_t bytes) {
    if (last != 0) {
      shown = std::min(last + margin, begin);
      show(last, shown);
    }
    show(std::max(shown, begin - std::min(begin, margin)), begin);
    last = begin + bytes;
  });
  show(last, std::min(last + margin, high));
}

}  // namespace pto2::guard
