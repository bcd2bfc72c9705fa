/// EV-I12 (run_rules.hpp): no core is idle while a task of its type is ready and stays so.
#pragma once

#include <string>
#include <vector>

#include "runtime/device/run_history.hpp"

namespace pto2 {

/// Where the rule is broken: in seeded runs with kernels_last exactly, on hardware beyond the
/// limit. Other runs are not judged.
[[nodiscard]] std::vector<std::string> idle_cores_beside_ready_tasks(const RunHistory& history,
                                                                     const RunResult& result,
                                                                     uint64_t limit_ns);

}  // namespace pto2
