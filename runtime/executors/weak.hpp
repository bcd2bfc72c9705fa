/// The weak policy: a simulation with memory as C++ allows it to look. Atomics may show older
/// values, and plain data is checked for races by happens-before.
#pragma once

#include "runtime/executors/simulated.hpp"
#include "runtime/executors/weak_memory.hpp"

namespace pto2::executors {

struct Weak : Simulated<WeakMemory> {};
static_assert(LaunchPolicy<Weak>);

}  // namespace pto2::executors
