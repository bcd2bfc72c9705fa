#pragma once

#include "runtime/workloads/workload.hpp"

namespace pto2::workloads {

/// f = exp(b w1 + b w2) with b = sqrt(log a), in four tasks on both kinds of cores.
const Workload& matmul();

}  // namespace pto2::workloads
