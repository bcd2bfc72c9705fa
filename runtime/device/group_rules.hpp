/// The rules about groups and the clusters that they hold: EV-I14 and EV-I15 of run_rules.hpp.
#pragma once

#include <string>
#include <vector>

#include "runtime/device/run_history.hpp"

namespace pto2 {

/// What is broken, as texts. `ended_well`: the run was not given up.
[[nodiscard]] std::vector<std::string> broken_group_rules(const RunHistory& history,
                                                          const RunResult& result, bool ended_well);

}  // namespace pto2
