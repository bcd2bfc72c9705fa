/// Cache lines that change hands per task, as a simulation with a ledger counts them (ledger.hpp):
/// without a clock and without a machine, so without noise.
#pragma once

#include <cstdint>
#include <vector>

#include "bench/cache_ledger.hpp"
#include "bench/expected.hpp"
#include "bench/graphs.hpp"

namespace pto2::bench {

/// What is expected of them: bench/cache_lines.csv.
[[nodiscard]] Expectation cache_lines_expectation();

/// How long a kernel takes, which does nothing.
enum class KernelTime {
  none,        ///< a step, like an access to shared data
  until_idle,  ///< long: it ends when nobody else can go on
};

struct CountedLaunch {
  int64_t tasks = 0;
  Transfers transfers;
};
/// A launch on the default chip, under a schedule in which all threads are equally fast.
[[nodiscard]] CountedLaunch count_transfers(Graph graph, KernelTime kernels, int64_t tasks,
                                            uint64_t seed);

/// Each graph: under its name without time in kernels, with "/long" behind it with long ones. What
/// is measured is the transfers per task, by structure: the difference of launches of few tasks and
/// of many, by the difference of their tasks, in the mean over some schedules.
[[nodiscard]] std::vector<Work> cache_lines_works();

}  // namespace pto2::bench
