/// Names of the logical threads of a device, in traces, reports and debuggers. A core's thread is
/// called as the core is (runtime/chip/chip.hpp).
#pragma once

#include <cstdint>
#include <string>

namespace pto2 {

inline constexpr const char* orchestrator_name = "orchestrator";

/// Of scheduler number `s`: "scheduler0", "scheduler1", ..
[[nodiscard]] std::string scheduler_name(uint32_t s);

}  // namespace pto2
