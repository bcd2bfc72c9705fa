#pragma once

#include <cstdint>

#include "runtime/device/run_result.hpp"

namespace pto2::simulations {

/// Of what a run tells: the code of its error, its counts and its events, with the points at which
/// they came. Never 0. Two runs of the same seed have the same. The error's message is not in it:
/// it may name a tensor's handle, and no two launches of a process use the same handles.
[[nodiscard]] uint64_t hash_of(const RunResult& result);

}  // namespace pto2::simulations
