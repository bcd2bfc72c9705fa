#pragma once

#include <cstdint>

#include "runtime/device/run_result.hpp"

namespace pto2::simulations {

/// Of what a run tells: the code of its error, its counts, and of its record every event with the
/// point at which it came, every submission and every use of a pipe. Never 0. Two runs of the same
/// seed have the same. Messages and hints are not in it: they may name a tensor's handle, and no
/// two launches of a process use the same handles.
[[nodiscard]] uint64_t hash_of(const RunResult& result);

}  // namespace pto2::simulations
