/// The events of a run as JSON lines.
#pragma once

#include <cstdint>

#include "runtime/cli/run_report.hpp"
#include "runtime/output/output_file.hpp"

namespace pto2::cli {

/// Writes a header, the events sorted by time, and a closing line:
///
///     {"schema":"pto2-trace/1","workload":..,"case":..,"executor":..,"clock":"ns"|"points",
///      "tasks":N,"chip":{..},"threads":[..],"kernels":{"0":"qk",..},..}
///     {"t":0,"thread":"orchestrator","event":"submit","ring":0,"task":0,"kernel":0}
///     ..
///     {"event":"end","events":N,"dropped":N}
///
/// Times are nanoseconds since the first event, or points of the seeded schedule. `submit` has
/// the id of its kernel, `ready` the type of core that the task needs ("cube", "vector"),
/// `dispatch` the name of its core (runtime/chip/chip.hpp). A `wait` lasts until the next event of
/// its thread; that of an orchestrator blocked by a full resource names the task and the resource.
/// `exit` is the last event of each thread. Returns the number of events that found their buffer
/// full.
uint64_t write_trace(OutputFile& file, const RunReport& report);

}  // namespace pto2::cli
