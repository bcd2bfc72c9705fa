/// The executors that `--executor` names.
#pragma once

#include <string>

#include "runtime/cli/settings.hpp"
#include "runtime/device/device.hpp"

namespace pto2::cli {

/// The names, separated by commas.
std::string executor_names();

/// What a launch with these settings runs on.
LaunchTeam team_of(const Settings& settings);

/// Launches on the executor, with the fan-out of `config`. Throws what launch() throws, and
/// ConfigError for the lock on weak memory.
RunResult launch_on(const Settings& settings, const DeviceConfig& config, const Launch& what);

/// Throws CliError (usage) if a flag sets what has no meaning on the executor.
void check_executor_flags(const Settings& settings);

}  // namespace pto2::cli
