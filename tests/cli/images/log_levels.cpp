#include "runtime/include/pto_orchestration_api.h"

extern "C" PTO2OrchestrationConfig aicpu_orchestration_config(uint64_t*, int) {
  return {.expected_arg_count = 0};
}

/// Says one line at each level, and one that is always shown.
extern "C" void aicpu_orchestration_entry(PTO2Runtime* rt, uint64_t*, int) {
  LOG_ERROR(rt, "line %d", 0);
  LOG_WARN(rt, "line %d", 1);
  LOG_INFO(rt, "line %d", 2);
  LOG_DEBUG(rt, "line %d", 3);
  LOG_ALWAYS(rt, "line %d", 4);
}
