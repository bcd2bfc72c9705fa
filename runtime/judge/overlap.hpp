/// Whether two parameters share a byte.
#pragma once

#include "runtime/record/record.hpp"

namespace pto2::judging {

/// Both are of the same memory, and have bytes(). Exact, unless two regions of different form have
/// more rows than `most_rows`: then they are taken to share one if their first and last bytes do.
[[nodiscard]] bool share_bytes(const ParamRecord& a, const ParamRecord& b);

/// Both are of the same memory, have bytes(), and are given in the same coordinates, none of which
/// is in both.
[[nodiscard]] bool are_apart_in_one_space(const ParamRecord& a, const ParamRecord& b);

inline constexpr uint64_t most_rows = 1 << 16;

}  // namespace pto2::judging
