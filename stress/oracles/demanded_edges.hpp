/// The edges of a run against those that its graph demands. Who is ordered by too few edges may
/// still come in the right order on every schedule that is tried.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "runtime/record/record.hpp"
#include "stress/oracles/recorded_task.hpp"

namespace pto2::oracle {

/// What is wrong with the edges of a run, whose result must have events and a task trace, of the
/// first tasks of `demanded`; at most a few lines. An edge to a producer may be missing only if the
/// producer can have been reclaimed: its scope ended before, and its kernel did; of recorded edges
/// also if others order the two tasks. `is_whole` says that nothing else orders tasks, so that no
/// other edge may be there.
[[nodiscard]] std::vector<std::string> edge_problems(std::span<const RecordedTask> demanded,
                                                     bool is_whole, const Record& record);

}  // namespace pto2::oracle
