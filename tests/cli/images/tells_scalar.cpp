#include <cinttypes>

#include "runtime/include/pto_orchestration_api.h"

extern "C" PTO2OrchestrationConfig aicpu_orchestration_config(uint64_t*, int) {
  return {1};
}

/// Logs its argument, a scalar.
extern "C" void aicpu_orchestration_entry(PTO2Runtime* rt, uint64_t* args, int) {
  LOG_ERROR(rt, "%" PRId64, static_cast<int64_t>(args[0]));
}
