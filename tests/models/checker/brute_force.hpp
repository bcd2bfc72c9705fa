#pragma once

#include "models/litmus/program.hpp"

namespace pto2::model::litmus {

/// Every candidate execution graph, filtered by the axioms of RC11.
Executions by_brute_force(const Program& program);

}  // namespace pto2::model::litmus
