#pragma once

#include "runtime/workloads/workload.hpp"

namespace pto2::workloads {

/// Sums of products in tiles: each block has a cluster of its own, whose cube core multiplies and
/// whose vector cores add. The products go through tensors or through a pipe.
const Workload& clusters();

}  // namespace pto2::workloads
