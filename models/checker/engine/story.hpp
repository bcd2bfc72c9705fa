#pragma once

#include "models/checker/engine/execution.hpp"
#include "models/checker/engine/script.hpp"
#include "pto2/checker/report.hpp"

namespace pto2::model::engine {

/// Describes a part of the failed execution: its events in causal order, the token that repeats it
/// and the graph.
Violation describe(const Execution& execution, const EventGraph& graph, const FailedRun& failure,
                   const Part& part);

}  // namespace pto2::model::engine
