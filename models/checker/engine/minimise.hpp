#pragma once

#include <functional>

#include "models/checker/engine/execution.hpp"

namespace pto2::model::engine {

/// A violation with as few steps as are known to show it in this graph: those that the failing
/// thread depends on, when replaying only them fails in the same way.
Violation minimise(const Options& options, const std::function<void()>& body,
                   const Execution& failed, const EventGraph& graph);

/// The same violation in the execution that shows it with the fewest context switches and, of
/// these, the fewest steps: among all executions, or those met in Options::minimise_seconds.
Violation simplest(const Options& options, const std::function<void()>& body, Violation found);

}  // namespace pto2::model::engine
