/// What `pto2 validate` says of a run.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/device/run_result.hpp"
#include "runtime/run/config.hpp"

namespace pto2::test {

/// Passes the trace of a run on `config`, which must have events and a task trace, to `write`.
void write_trace_to(const std::function<void(std::string_view)>& write, const DeviceConfig& config,
                    const RunResult& result);

/// Writes it to a file of its own, reads it again and judges it. The rules that it breaks, or why
/// it is no trace; empty: it is valid.
[[nodiscard]] std::vector<std::string> trace_problems(const DeviceConfig& config,
                                                      const RunResult& result);

}  // namespace pto2::test
