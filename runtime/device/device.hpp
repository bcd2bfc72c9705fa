/// A launch: one orchestration and its kernels on a simulated chip.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "runtime/chip/ai_core.hpp"
#include "runtime/device/run_result.hpp"
#include "runtime/executors/seeded_team.hpp"
#include "runtime/executors/team.hpp"
#include "runtime/include/pto_orchestration_api.h"
#include "runtime/run/config.hpp"

namespace pto2 {

struct Launch {
  std::span<const KernelEntry> kernels;     ///< by id; null: no such kernel
  std::function<void(PTO2Runtime*)> entry;  ///< the orchestration; runs in an outer scope
  std::function<void(int32_t level, const char* text)> log;  ///< level: PTO2LogLevel; may be empty
};

/// Runs on OS threads. Throws ConfigError, std::bad_alloc; every other failure is in the result.
/// Any number of launches may follow each other, or run side by side; but an orchestration that was
/// loaded from an image is bound to one of them at a time.
[[nodiscard]] RunResult launch(const DeviceConfig& config, const executors::TeamOptions& team,
                               const Launch& what);

/// Runs under the seeded schedule. Throws executors::SeededFailure, too, when the schedule finds a
/// lost wake-up or a livelock.
[[nodiscard]] RunResult launch_seeded(const DeviceConfig& config,
                                      const executors::SeededOptions& options, const Launch& what);

}  // namespace pto2
