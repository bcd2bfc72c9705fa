#include "runtime/device/lock_device.hpp"

#include "core/fan_out_lock.hpp"
#include "runtime/device/launch_on.hpp"
#include "runtime/executors/hardware.hpp"
#include "runtime/executors/seeded.hpp"
#include "runtime/orchestrator/orchestrator_impl.hpp"
#include "runtime/orchestrator/submitter_impl.hpp"
#include "runtime/scheduler/scheduler_impl.hpp"

namespace pto2 {

RunResult launch_with_lock(const DeviceConfig& config, const LaunchTeam& team, const Launch& what) {
  if (const executors::SeededOptions* seeded = simulation(team)) {
    return launch_on<executors::Seeded, FanOutLock>(FanOutKind::lock, config, *seeded, what);
  }
  return launch_on<executors::Hardware, FanOutLock>(FanOutKind::lock, config,
                                                    std::get<executors::TeamOptions>(team), what);
}

}  // namespace pto2
