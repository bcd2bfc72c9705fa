/// The trace of a run as JSON lines, schema pto2-trace/2. docs/TRACE.md documents every field.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/device/run_result.hpp"
#include "runtime/run/config.hpp"

namespace pto2 {

/// What a trace is made of. All of it outlives the writing.
struct TraceSource {
  const DeviceConfig& config;  ///< with `events` and `task_trace`
  const RunResult& result;
  /// What the run was: pairs that the header repeats, such as ("workload", "bgemm").
  std::vector<std::pair<std::string, std::string>> labels;
  std::span<const std::string> kernel_names;  ///< by id; empty: no such kernel
  bool points = false;           ///< ticks are points of a seeded schedule, not nanoseconds
  std::optional<uint64_t> seed;  ///< of a seeded schedule
};

/// Writes a header, the events sorted by time, and a closing line. Those of one time stand in the
/// order of the threads, those of one thread in theirs. Addresses do not appear: memory of the
/// caller is numbered in the order of its first use, so that equal schedules have equal traces.
/// Returns the number of events that found their buffer full.
uint64_t write_trace(const TraceSource& source, const std::function<void(std::string_view)>& write);

}  // namespace pto2
