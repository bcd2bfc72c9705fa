/// A launch: one orchestration and its kernels on a simulated chip.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "runtime/chip/ai_core.hpp"
#include "runtime/chip/event_log.hpp"
#include "runtime/device/config.hpp"
#include "runtime/include/pto_orchestration_api.h"
#include "runtime/orchestrator/error.hpp"
#include "runtime/platform/seeded_team.hpp"
#include "runtime/platform/team.hpp"

namespace pto2 {

struct Launch {
  std::span<const KernelEntry> kernels;     ///< by id; null: no such kernel
  std::function<void(PTO2Runtime*)> entry;  ///< the orchestration; runs in an outer scope
  std::function<void(int32_t level, const char* text)> log;  ///< level: PTO2LogLevel; may be empty
};

/// What happened. All counts are of this run alone.
struct RunResult {
  RunError error;
  uint64_t tasks = 0;
  uint64_t edges_linked = 0;  ///< the producer had not completed when it was claimed
  uint64_t edges_early = 0;   ///< it had, but was alive
  uint64_t holds = 0;         ///< references to owners of buffers beside the edges
  uint64_t dispatches = 0;
  uint64_t acks = 0;
  uint64_t fins = 0;
  uint64_t steals = 0;
  uint64_t cas_retries = 0;
  uint64_t waits = 0;    ///< submissions that met back-pressure
  uint64_t wait_ns = 0;  ///< time in those
  uint64_t scheduler_parks = 0;
  uint64_t peak_window = 0;  ///< most slots of one ring in use, as the orchestrator saw it
  uint64_t slots_recycled = 0;
  uint64_t kernel_ns = 0;  ///< sum over cores, if timing is on
  uint64_t wall_ns = 0;    ///< from launch to result
  uint64_t points = 0;     ///< seeded: length of the schedule
  uint32_t host_threads = 0;
  std::vector<EventLog> events;
};

/// Runs on OS threads. Throws ConfigError, std::bad_alloc; every other failure is in the result.
/// Any number of launches may follow each other, or run side by side.
[[nodiscard]] RunResult launch(const DeviceConfig& config, const platform::TeamOptions& team,
                               const Launch& what);

/// Runs under the seeded schedule. Throws platform::SeededFailure, too, when the schedule finds a
/// lost wake-up or a livelock.
[[nodiscard]] RunResult launch_seeded(const DeviceConfig& config,
                                      const platform::SeededOptions& options, const Launch& what);

}  // namespace pto2
