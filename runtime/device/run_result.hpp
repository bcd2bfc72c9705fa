/// What a run came to: its error, its counts, and its record if that was wanted.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "runtime/orchestrator/graph_use.hpp"
#include "runtime/record/record.hpp"
#include "runtime/run/error.hpp"

namespace pto2 {

/// What happened.
struct RunResult : Counts {
  RunError error;
  uint64_t wall_ns = 0;        ///< from launch to result
  uint64_t open_scopes = 0;    ///< that the orchestration has left to the runtime to end
  bool weak_memory = false;    ///< of a simulation
  bool kernels_last = false;   ///< seeded: executors::SeededOptions::kernels_last
  bool replayed = false;       ///< some tasks have edges that were recorded in a run before
  bool fault_reached = false;  ///< of a simulation: the chip has failed as Launch::fault says
  /// By state (core/task_state.hpp), those of a run that was given up: initial, ready, completed,
  /// consumed. What a core ended and nobody completed is ready.
  std::array<uint64_t, 4> phases{};
  std::vector<std::string> damaged;  ///< structures that are not whole; empty unless we have a bug
  Record record;                     ///< if it was wanted
  GraphUse graph;                    ///< how it used Launch::graph
};

}  // namespace pto2
