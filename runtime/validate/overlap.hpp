/// Whether two parameters share a byte.
#pragma once

#include "runtime/validate/trace.hpp"

namespace pto2::validation {

/// Both are of the same memory, and have bytes(). Exact, unless two regions of different form have
/// more rows than `most_rows`: then they are taken to share one if their first and last bytes do.
[[nodiscard]] bool share_bytes(const Param& a, const Param& b);

inline constexpr uint64_t most_rows = 1 << 16;

}  // namespace pto2::validation
