#include "runtime/device/weak_device.hpp"

#include "core/task_word.hpp"
#include "runtime/device/launch_on.hpp"
#include "runtime/executors/weak.hpp"
#include "runtime/orchestrator/orchestrator_impl.hpp"
#include "runtime/orchestrator/submitter_impl.hpp"
#include "runtime/scheduler/scheduler_impl.hpp"

namespace pto2 {

RunResult launch_weak(const DeviceConfig& config, const executors::WeakOptions& options,
                      const Launch& what) {
  return launch_on<executors::Weak, TaskWord>(FanOutKind::word, config, options, what);
}

}  // namespace pto2
