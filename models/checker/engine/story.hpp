#pragma once

#include "models/checker/engine/execution.hpp"
#include "pto2/checker/report.hpp"

namespace pto2::model::engine {

/// Describes the failed execution: its events in causal order, the token that repeats it and the
/// graph. `last_of` limits it to what that thread depends on; -1 is everything.
Violation describe(const Execution& execution, const EventGraph& graph, const FailedRun& failure,
                   ThreadId last_of);

}  // namespace pto2::model::engine
