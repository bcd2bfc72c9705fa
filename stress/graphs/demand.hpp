/// What a program asks of rings and pools, as a program for the counting oracle.
#pragma once

#include <cstdint>
#include <vector>

#include "stress/graphs/interpreter.hpp"
#include "stress/oracles/counting_oracle.hpp"
#include "stress/oracles/recorded_task.hpp"

namespace pto2::graphs {

struct Demand {
  /// Up to the refused submission, if there is one. In the best case everything submitted before
  /// has completed, and a task retires once its scope has ended and all earlier ones of its ring
  /// have retired.
  oracle::Program program;
  /// The same, but that a task takes a node for a producer even if it could have retired: what a
  /// device needs on which nothing has completed yet. All else it can wait for, but nodes that
  /// were taken too early stay taken until the task retires.
  oracle::Program slow_program;
  /// What each task depends on. To the TensorMap a pipe is a tensor, so that nothing else orders
  /// tasks.
  std::vector<oracle::RecordedTask> tasks;
  /// Edges of the run: to producers that cannot have retired, and to all that it can find.
  uint64_t least_edges = 0;
  uint64_t most_edges = 0;
  /// References to tasks that allocated what a task writes and does not read.
  uint64_t holds = 0;
};

/// With `rings` rings, 1 to 4.
Demand demand_of(const Program& program, const Interpreter& interpreter, uint32_t rings);

}  // namespace pto2::graphs
