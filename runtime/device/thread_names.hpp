/// Names of the logical threads of a device: in traces, reports and debuggers.
#pragma once

#include <cstdint>
#include <string>

namespace pto2 {

inline constexpr const char* orchestrator_name = "orchestrator";

/// Of scheduler number `s`: "scheduler0", "scheduler1", ..
[[nodiscard]] std::string scheduler_name(uint32_t s);

/// Of core number `core` of a chip of `blocks` blocks: the cubes are "aic0", "aic1", .., the vector
/// cores behind them "aiv0", "aiv1", ..
[[nodiscard]] std::string core_name(uint32_t core, uint32_t blocks);

}  // namespace pto2
