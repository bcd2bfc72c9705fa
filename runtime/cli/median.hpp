/// The median of a few measurements, by the place of what was measured.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

namespace pto2::cli {

/// Where the lower and the upper median of `values` are: the same place twice if their number is
/// odd. The median is the mean of the two. Requires a value.
inline std::pair<std::size_t, std::size_t> median_places(std::span<const uint64_t> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t place) { return values[place]; });
  return {order[(order.size() - 1) / 2], order[order.size() / 2]};
}

}  // namespace pto2::cli
