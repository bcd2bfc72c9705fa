/// A launch: one orchestration and its kernels on a simulated chip.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <stop_token>
#include <variant>

#include "runtime/chip/ai_core.hpp"
#include "runtime/device/run_result.hpp"
#include "runtime/executors/seeded_team.hpp"
#include "runtime/executors/team.hpp"
#include "runtime/include/pto_orchestration_api.h"
#include "runtime/orchestrator/declared_kernel.hpp"
#include "runtime/run/config.hpp"
#include "runtime/tensormap/caller_arrays.hpp"

namespace pto2 {

class RecordedGraph;

struct Launch {
  std::span<const KernelEntry> kernels;     ///< by id; null: no such kernel
  std::function<void(PTO2Runtime*)> entry;  ///< the orchestration; runs in an outer scope
  std::function<void(int32_t level, const char* text)> log;  ///< level: PTO2LogLevel; may be empty
  /// Gives the run up: it ends in ErrorCode::interrupted when orchestration and kernels have
  /// returned. Requested by a thread that is none of the run's. A simulation goes on to its end.
  std::stop_token stop = {};
  /// What fails of the chip, in a simulation. On OS threads nothing does, whatever it says.
  executors::ChipFault fault = {};
  /// Of an orchestration that is launched again and again: recorded by the first launch that ends
  /// well, replayed by those that follow, as long as they make the same calls. One launch at a time
  /// uses it. Null: nothing is recorded. (runtime/orchestrator/recorded_graph.hpp)
  RecordedGraph* graph = nullptr;
  /// By id: of a kernel that is declared for cubes or vector cores, tasks for the others are
  /// refused.
  std::span<const DeclaredKernel> declared = {};
  /// The memory behind the orchestration's arguments, as far as it is known how much that is: a
  /// tensor that begins in one of them must end there (runtime/tensormap/caller_arrays.hpp).
  std::span<const CallerArray> arrays = {};
};

/// What runs the threads of a launch: an executor on OS threads, packed by default, or a schedule
/// that follows from a seed.
using LaunchTeam = std::variant<executors::TeamOptions, executors::SeededOptions>;

/// The seeded options of a team; null if it runs on OS threads. A seeded run is a simulation: its
/// ticks are points of the schedule, not nanoseconds, so its kernels have no times.
[[nodiscard]] inline const executors::SeededOptions* simulation(const LaunchTeam& team) {
  return std::get_if<executors::SeededOptions>(&team);
}

/// Runs `what` on `team`, with the fan-out word. Throws ConfigError, also if the configuration
/// names the lock (lock_device.hpp), std::bad_alloc, also if a thread of the run had no memory to
/// go on with, std::system_error if the system refuses an OS thread, and executors::SeededFailure
/// when a schedule finds a lost wake-up or a livelock; every other failure is in the result.
/// Whatever it throws, all threads have been joined. Any number of launches may follow each other,
/// or run side by side; but an orchestration that was loaded from an image is bound to one of them
/// at a time.
[[nodiscard]] RunResult launch(const DeviceConfig& config, const LaunchTeam& team,
                               const Launch& what);

}  // namespace pto2
