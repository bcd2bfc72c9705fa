// Launches on each of the executors.
#include "runtime/device/executor_table.hpp"
#include "runtime/device/lock_device.hpp"
#include "runtime/device/weak_device.hpp"

namespace pto2 {

RunResult launch(const ExecutorOptions& options, const DeviceConfig& config, const Launch& what) {
  const LaunchTeam team = team_of(options);
  if (row_of(options.executor).weak_memory) {
    return launch_weak(config, {*simulation(team), std::nullopt}, what);
  }
  return config.fan_out == FanOutKind::lock ? launch_with_lock(config, team, what)
                                            : launch(config, team, what);
}

}  // namespace pto2
