#include "runtime/include/pto_orchestration_api.h"

extern "C" PTO2OrchestrationConfig aicpu_orchestration_config(uint64_t*, int) {
  return {.expected_arg_count = 1};
}

/// Gives kernel 0 a tensor of 4K at a buffer, however small it is.
extern "C" void aicpu_orchestration_entry(PTO2Runtime* rt, uint64_t* args, int) {
  const uint64_t shape[] = {1024};
  const Tensor tensor = make_tensor_external(reinterpret_cast<void*>(args[0]), shape, 1);
  const PTOParam param = make_output_param(tensor);
  pto2_rt_submit_task(rt, 0, PTO2_WORKER_VECTOR, &param, 1);
}
