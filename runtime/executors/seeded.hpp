/// The seeded policy: sequentially consistent, deterministic, every access a point of the
/// schedule. The proof that nothing in core and runtime bypasses the seam.
#pragma once

#include "runtime/executors/sequential_memory.hpp"
#include "runtime/executors/simulated.hpp"

namespace pto2::executors {

struct Seeded : Simulated<SequentialMemory> {};
static_assert(LaunchPolicy<Seeded>);

}  // namespace pto2::executors
