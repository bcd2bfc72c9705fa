/// The pipes of a random graph, as the interpreter keeps them.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/run/error.hpp"
#include "stress/graphs/program.hpp"

namespace pto2::graphs {

/// Group and tag.
using PipeName = std::pair<uint32_t, int32_t>;

/// What a task must have done with a pipe.
struct PredictedUse {
  uint32_t task;
  uint64_t pushed = 0;
  uint64_t popped = 0;
  uint64_t freed = 0;
  uint64_t waiting = 0;  ///< entries behind it, of those that are not popped
  uint64_t held = 0;     ///< the same, popped and not freed
};

/// The step that broke the bound of a pipe; it ends the run, unless something else did before.
struct PredictedFault {
  ErrorCode code;
  uint32_t task;
  PipeName pipe;
  std::string problem;  ///< a part of the message
};

/// A pipe and what it holds.
struct PipeModel {
  PipeSizes sizes;
  std::vector<uint32_t> users = {};  ///< tasks, in the order of their submission
  std::deque<uint64_t> waiting = {};
  uint64_t held = 0;
  std::vector<PredictedUse> uses = {};  ///< by tasks that can run

  [[nodiscard]] uint64_t used() const { return waiting.size() + held; }
  /// What is wrong with a step; null: nothing.
  [[nodiscard]] const char* problem(PipeStep step) const;
};

using Pipes = std::map<PipeName, PipeModel>;

/// The error of a step that is wrong.
[[nodiscard]] ErrorCode fault_of(PipeStep step);

/// The group whose pipes a task names; none: it cannot.
[[nodiscard]] std::optional<uint32_t> pipe_group(const Submit& task);

/// Why the pipe of this number is refused to a task, whose group may have it already, or which may
/// have named it before; null: it is not.
[[nodiscard]] const char* refused_pipe(const Submit& task, std::size_t number, const Pipes& pipes);

/// Task `number` is submitted: makes the pipes that there are not, and notes their user.
void make_pipes(const Submit& task, uint32_t number, Pipes& pipes);

/// Does the steps of task `number`, from `hash` on: returns the hash of that and of all that it
/// pops. At the first step that is wrong the task stops, and `fault` gets it.
uint64_t use_pipes(const Submit& task, uint32_t number, uint64_t hash, Pipes& pipes,
                   std::optional<PredictedFault>& fault);

}  // namespace pto2::graphs
