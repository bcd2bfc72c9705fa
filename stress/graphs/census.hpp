/// What the runs of random graphs met: a generator that never makes a case tests nothing there, and
/// nobody would notice.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "runtime/chip/chip.hpp"
#include "runtime/device/run_result.hpp"
#include "stress/graphs/program.hpp"

namespace pto2::graphs {

/// Cases about clusters, pipes, block tasks and rare types of tasks. All but the two about inner
/// scopes are seen in the events of a run.
enum class Case : uint32_t {
  groups,
  several_groups,     ///< open at once
  cluster_again,      ///< a cluster had two groups
  cluster_waits,      ///< the orchestrator waited for a cluster, and got it
  closed_early,       ///< a group was closed while tasks of it were to end, who gave it back
  inner_free,         ///< a group was freed inside a scope that is not its own
  inner_submission,   ///< a task joined one from there
  pinned,             ///< tasks
  beside_unpinned,    ///< pinned tasks and others
  block_tasks,        ///< with several parts
  single_parts,       ///< block tasks of one part
  more_parts,         ///< than the chip has cores of the type
  pinned_parts,       ///< parts of block tasks that joined groups
  parts_on_clusters,  ///< of one task, on several clusters
  pipes,              ///< a task had one and completed
  pipe_of_two,        ///< a task popped what another had pushed
  pipe_full,          ///< all its slots were in use after a task
  pipe_leftovers,     ///< something was left in one
  ai_cpu_tasks,       ///< schedulers ran some
  accelerator_tasks,
};
inline constexpr std::size_t cases = 20;
/// For reports: "groups", "waits for a cluster", ..
const char* name_of(Case which);

/// In how many runs each case was met.
class Census {
 public:
  void add(const Program& program, const Chip& chip, const RunResult& result);
  void add(const Census& other);

  [[nodiscard]] uint64_t runs() const { return runs_; }
  [[nodiscard]] uint64_t of(Case which) const { return counts_[static_cast<std::size_t>(which)]; }
  /// A line per case, with its share of the runs.
  [[nodiscard]] std::string text() const;

 private:
  uint64_t runs_ = 0;
  std::array<uint64_t, cases> counts_{};
};

}  // namespace pto2::graphs
