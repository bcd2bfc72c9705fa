#include "runtime/orchestrator/orchestrator_impl.hpp"

#include "runtime/run/variants.hpp"

namespace pto2 {

PTO2_FOR_EACH_VARIANT(template class Orchestrator)

}  // namespace pto2
