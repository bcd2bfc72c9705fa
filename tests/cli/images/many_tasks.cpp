#include "runtime/include/pto_orchestration_api.h"

/// Two arguments: the kernel of all tasks, and their number. Each has a scope of its own.
extern "C" PTO2OrchestrationConfig aicpu_orchestration_config(uint64_t*, int) {
  return {.expected_arg_count = 2};
}

extern "C" void aicpu_orchestration_entry(PTO2Runtime* rt, uint64_t* args, int) {
  LOG_ERROR(rt, "the graph has begun");
  const auto kernel = static_cast<int32_t>(args[0]);
  for (uint64_t i = 0; i < args[1]; ++i) {
    PTO2_SCOPE(rt) {
      pto2_rt_submit_task(rt, kernel, PTO2_WORKER_CUBE, nullptr, 0);
    }
  }
}
