#pragma once

#include <cstdint>

#include "runtime/device/run_result.hpp"

namespace pto2::simulations {

/// Of all that a run tells: its error, its counts and its events, with the points at which they
/// came. Never 0. Two runs of the same seed have the same.
[[nodiscard]] uint64_t hash_of(const RunResult& result);

}  // namespace pto2::simulations
