/// Pipes for the tasks of random graphs.
#pragma once

#include <cstdint>

#include "runtime/executors/random.hpp"
#include "stress/graphs/builder.hpp"

namespace pto2::graphs {

/// Draws what tasks do with pipes: in most programs nothing that a pipe refuses, in some one thing.
class PipeDrawer {
 public:
  /// `builder` must outlive this. `may_fail`: one task may break the bound of a pipe.
  PipeDrawer(uint64_t seed, const Builder& builder, bool may_fail);

  /// Gives a task that has joined a group some pipes of it, now and then.
  void add(Submit& task);

 private:
  [[nodiscard]] bool chance(uint64_t numerator, uint64_t denominator) {
    return random_.below(denominator) < numerator;
  }
  void add_pipe(Submit& task, uint32_t group);
  [[nodiscard]] PipeSizes draw_sizes();
  /// Steps that the pipe allows; it becomes what they make of it.
  void draw_steps(PipeModel& pipe, std::vector<PipeStep>& steps);
  /// Steps the last of which the pipe refuses.
  void draw_fault(PipeModel pipe, std::vector<PipeStep>& steps);

  executors::Random random_;
  const Builder& builder_;
  uint64_t share_;        ///< of 8 tasks that can have pipes
  int32_t tags_;          ///< different ones
  uint64_t most_steps_;   ///< with a pipe
  std::size_t fault_at_;  ///< number of tasks; max_tasks: never
};

}  // namespace pto2::graphs
