#include "runtime/device/device.hpp"

#include <atomic>

#include "runtime/device/launch_on.hpp"
#include "runtime/run/variants.hpp"

namespace pto2 {

/// The factor is 2^32 by the golden ratio, whose multiples are spread evenly (Knuth, TAOCP 3, 6.4).
uint32_t next_generation() {
  static std::atomic<uint32_t> launches{0};
  return launches.fetch_add(1, std::memory_order_relaxed) * 0x9e3779b1 + 1;
}

RunResult launch(const DeviceConfig& config, const LaunchTeam& team, const Launch& what) {
  if (const executors::SeededOptions* seeded = simulation(team)) {
    return launch_on<executors::Seeded, TaskWord>(FanOutKind::word, config, *seeded, what);
  }
  return launch_on<executors::Hardware, TaskWord>(FanOutKind::word, config,
                                                  std::get<executors::TeamOptions>(team), what);
}

}  // namespace pto2
