/// What the orchestrations of dense workloads check.
#pragma once

#include <cstdint>

#include "runtime/include/pto_orchestration_api.h"

namespace pto2::workloads {

/// True if the arguments first..first+count-1, which are the bytes of tensors, are all `bytes`;
/// otherwise the first that is not is logged, and nothing must be submitted.
inline bool have_bytes(PTO2Runtime* rt, const char* workload, const uint64_t* args, int first,
                       int count, uint64_t bytes) {
  for (int i = first; i < first + count; ++i) {
    if (args[i] == bytes) continue;
    LOG_ERROR(rt, "%s: argument %d is %llu bytes, not %llu", workload, i,
              static_cast<unsigned long long>(args[i]), static_cast<unsigned long long>(bytes));
    return false;
  }
  return true;
}

}  // namespace pto2::workloads
