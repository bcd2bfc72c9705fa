#pragma once

#include <algorithm>
#include <vector>

namespace pto2::bench {

/// Of an even number of values the upper one of the middle two; 0 of none.
[[nodiscard]] inline double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values.empty() ? 0 : values[values.size() / 2];
}

}  // namespace pto2::bench
