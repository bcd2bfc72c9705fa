#pragma once

#include "runtime/workloads/workload.hpp"

namespace pto2::workloads {

/// Products on cube cores and sums on vector cores in turn, none of which depends on another.
const Workload& alternating();

/// A case of `batch` times `products` (M) and `sums` (N). The tasks of `info` are set here.
std::unique_ptr<CaseData> make_alternating_case(CaseInfo info, uint64_t batch, uint64_t products,
                                                uint64_t sums, uint64_t seed);

}  // namespace pto2::workloads
