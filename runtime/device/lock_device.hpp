/// A launch with the fan-out lock: a library of its own, since nobody needs it to run tasks.
#pragma once

#include "runtime/device/device.hpp"

namespace pto2 {

/// As launch(), with the fan-out lock (core/fan_out_lock.hpp) instead of the word; a configuration
/// that names the word is a ConfigError.
[[nodiscard]] RunResult launch_with_lock(const DeviceConfig& config, const LaunchTeam& team,
                                         const Launch& what);

}  // namespace pto2
