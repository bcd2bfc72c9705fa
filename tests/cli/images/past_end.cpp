#include "runtime/include/pto_orchestration_api.h"

extern "C" PTO2OrchestrationConfig aicpu_orchestration_config(uint64_t*, int) {
  return {.expected_arg_count = 2};
}

/// Gives kernel 0 a tensor of so many floats at a buffer, however small it is. The kernel is told
/// of 1024 floats.
extern "C" void aicpu_orchestration_entry(PTO2Runtime* rt, uint64_t* args, int) {
  const uint64_t shape[] = {args[1]};
  const Tensor tensor = make_tensor_external(reinterpret_cast<void*>(args[0]), shape, 1);
  const PTOParam params[] = {make_output_param(tensor), make_scalar_param(1024)};
  pto2_rt_submit_task(rt, 0, PTO2_WORKER_VECTOR, params, 2);
}
