/// Whether two parameters share a byte.
#pragma once

#include "runtime/record/record.hpp"

namespace pto2::judging {

/// Both are of the same memory, and have these bytes. Exact, unless two regions of different form
/// have more rows than `most_rows`: then they are taken to share one if their first and last bytes
/// do.
[[nodiscard]] bool share_bytes(const ParamRecord& a, const Bytes& of_a, const ParamRecord& b,
                               const Bytes& of_b);

/// The same between the first and the last bytes, where the TensorMap looks only if both regions
/// are given in the same coordinates: it makes edges by this.
[[nodiscard]] bool may_share_bytes(const ParamRecord& a, const Bytes& of_a, const ParamRecord& b,
                                   const Bytes& of_b);

inline constexpr uint64_t most_rows = 1 << 16;

}  // namespace pto2::judging
