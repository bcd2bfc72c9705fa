#pragma once

#include "runtime/workloads/workload.hpp"

namespace pto2::workloads {

/// One reproduction per resource that an orchestration can wait for in vain, each with a twin: the
/// same graph, with the smallest size that works.
const Workload& deadlock();

}  // namespace pto2::workloads
