#pragma once

#include "runtime/workloads/workload.hpp"

namespace pto2::workloads {

/// f = (a + b + 1) * (a + b + 2) + (a + b), element by element, in five vector tasks.
const Workload& vector_example();

}  // namespace pto2::workloads
