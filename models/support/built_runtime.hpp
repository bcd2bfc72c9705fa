/// For programs that link the runtime and run scenarios over it: its templates are instantiated in
/// the runtime's own units, and not a second time where a scenario uses them.
#pragma once

#include "runtime/orchestrator/orchestrator.hpp"
#include "runtime/orchestrator/submitter.hpp"
#include "runtime/run/variants.hpp"
#include "runtime/scheduler/scheduler.hpp"

namespace pto2 {

PTO2_FOR_EACH_VARIANT(extern template class Orchestrator)
PTO2_FOR_EACH_VARIANT(extern template class Submitter)
PTO2_FOR_EACH_VARIANT(extern template class Scheduler)

}  // namespace pto2
