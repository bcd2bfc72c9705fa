#include "runtime/cli/measured_run.hpp"

#include "runtime/cli/repetitions.hpp"

namespace pto2::cli {

RunReport measure(const Settings& settings, const OwnImages& own, const Measurement& wanted,
                  Progress& progress) {
  const DeviceConfig config = settings.device_config();
  progress.stage("making the inputs");
  RunProgram program(settings, own);
  if (wanted.begins) wanted.begins();
  program.load(settings, own);
  program.configure(own, config.deadline_ms, wanted.stop);
  if (program.error().code != ErrorCode::ok) return fault_report(settings, program.error());
  Repetitions repetitions(settings, config, program, progress, wanted.log_level, wanted.stop);
  return repetitions.run(wanted.traced ? settings.number(Setting::trace_events) : 0);
}

}  // namespace pto2::cli
