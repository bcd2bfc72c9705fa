#pragma once

#include "runtime/workloads/workload.hpp"

namespace pto2::workloads {

/// Two kernels over all blocks, as a task per block and as block tasks.
const Workload& block_incore();

}  // namespace pto2::workloads
