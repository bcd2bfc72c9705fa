#include "runtime/include/pto_orchestration_api.h"

extern "C" PTO2OrchestrationConfig aicpu_orchestration_config(uint64_t*, int arg_count) {
  return {.expected_arg_count = arg_count + 1};
}

/// Stores the runtime that the image is bound to in the first argument.
extern "C" void aicpu_orchestration_entry(PTO2Runtime*, uint64_t* args, int) {
  args[0] = reinterpret_cast<uint64_t>(pto2_bound_runtime);
}
