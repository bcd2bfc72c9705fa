/// The graphs of graphs.hpp as OpenMP tasks with depend clauses, the peer of runtime_bench.
#pragma once

#include <cstdint>

#include "bench/graphs.hpp"

namespace pto2::bench {

/// Runs about `tasks` empty tasks of the graph on `threads` OpenMP threads; returns how many.
int64_t run_openmp(Graph graph, int64_t tasks, int threads);

}  // namespace pto2::bench
