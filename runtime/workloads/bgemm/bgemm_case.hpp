#pragma once

#include "runtime/workloads/workload.hpp"

namespace pto2::workloads {

/// Batched C += A x B in tiles, each a product on a cube core and an addition on a vector core.
const Workload& bgemm();

}  // namespace pto2::workloads
