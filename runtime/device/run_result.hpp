/// What a run came to: its error, its counts, and its events if they were wanted.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "runtime/events/event_log.hpp"
#include "runtime/orchestrator/task_trace.hpp"
#include "runtime/run/error.hpp"

namespace pto2 {

/// What happened. All counts are of this run alone.
struct RunResult {
  RunError error;
  uint64_t tasks = 0;
  uint64_t edges_linked = 0;  ///< the producer had not completed when it was claimed
  uint64_t edges_early = 0;   ///< it had, but was alive
  uint64_t holds = 0;         ///< references to owners of buffers beside the edges
  uint64_t dispatches = 0;    ///< of tasks, and of parts of block tasks
  uint64_t loans = 0;         ///< of block tasks to cores, which claim the parts themselves
  uint64_t acks = 0;
  uint64_t fins = 0;
  uint64_t completions = 0;
  uint64_t steals = 0;
  uint64_t cas_retries = 0;
  uint64_t waits = 0;       ///< for a resource, of the orchestrator
  uint64_t wait_ticks = 0;  ///< time in those; ticks are nanoseconds, or points of a schedule
  uint64_t scheduler_parks = 0;
  uint64_t peak_window = 0;  ///< most slots of one ring in use, as the orchestrator saw it
  uint64_t slots_recycled = 0;
  uint64_t kernel_ticks = 0;  ///< sum over cores, if timing is on
  uint64_t wall_ns = 0;       ///< from launch to result
  uint64_t points = 0;        ///< seeded: length of the schedule
  uint32_t host_threads = 0;
  bool weak_memory = false;   ///< of a simulation
  bool kernels_last = false;  ///< seeded: executors::SeededOptions::kernels_last
  /// By state (core/task_state.hpp), those of a run that was given up: initial, ready, completed,
  /// consumed. What a core ended and nobody completed is ready.
  std::array<uint64_t, 4> phases{};
  std::vector<std::string> damaged;  ///< structures that are not whole; empty unless we have a bug
  /// One log per logical thread, or none: the orchestrator, the schedulers, the cores.
  std::vector<EventLog> events;
  TaskTrace task_trace;  ///< what was submitted, if it was wanted
};

}  // namespace pto2
