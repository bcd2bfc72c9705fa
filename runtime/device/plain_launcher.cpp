// Launches on those executors that run tasks with the fan-out word, for programs that are compiled
// often and need no other. The fan-out lock is refused as launch() of a device refuses it.
#include "runtime/device/executor_table.hpp"

namespace pto2 {

RunResult launch(const ExecutorOptions& options, const DeviceConfig& config, const Launch& what) {
  if (row_of(options.executor).weak_memory) {
    throw ConfigError("this program has no weak memory", {"executor"});
  }
  return launch(config, team_of(options), what);
}

}  // namespace pto2
