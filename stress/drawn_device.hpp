/// Devices drawn at random: the choices about the chip that no result depends on.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "runtime/device/executor_table.hpp"
#include "runtime/executors/random.hpp"
#include "stress/oracles/counting_oracle.hpp"

namespace pto2::stress {

/// Draws how many cores a block has: in half of the cases as many as before. What `random` itself
/// draws later does not depend on it.
void draw_block(executors::Random random, Chip& chip);

/// Draws a chip of up to `most_clusters` blocks, queues and buckets, with the smallest queues among
/// them.
void draw_device(executors::Random& random, uint32_t most_clusters, DeviceConfig& config);

/// The sizes, queues and chip of a device that was drawn, for reports.
[[nodiscard]] std::string text_of(const DeviceConfig& config);

/// The code of a run that lacks the resource.
[[nodiscard]] ErrorCode code_of(oracle::Resource resource);

/// Launches, as launch() does. A run on OS threads that hangs ends the program with a report; a
/// simulation that takes 10^8 points is a livelock. `seed` decides the schedule of a simulation; of
/// each three, one ends kernels last, which shows idle cores.
[[nodiscard]] RunResult launch_on(ExecutorKind executor, const DeviceConfig& config,
                                  const Launch& what, uint64_t seed);

/// launch_on(), or what stands for it.
using Launcher = std::function<RunResult(ExecutorKind executor, const DeviceConfig& config,
                                         const Launch& what, uint64_t seed)>;

/// Whether a simulation that was given up says by this that it took so many points, or more.
[[nodiscard]] bool is_livelock(std::string_view failure);

}  // namespace pto2::stress
