// So many tasks, one after the other, that wait for the first byte of an array.
#include "pto_orchestration_api.h"

extern "C" PTO2OrchestrationConfig aicpu_orchestration_config(uint64_t*, int) {
  return {3};  // the array, the number of tasks, milliseconds that each waits at most
}

extern "C" void aicpu_orchestration_entry(PTO2Runtime* rt, uint64_t* args, int) {
  const uint64_t shape[] = {1};
  const Tensor flag =
      make_tensor_external(reinterpret_cast<void*>(args[0]), shape, 1, DataType::UINT8);
  const PTOParam params[] = {make_inout_param(flag), make_scalar_param(args[2])};
  LOG_INFO(rt, "a graph of waiting tasks");
  for (uint64_t i = 0; i < args[1]; ++i) {
    pto2_rt_submit_task(rt, 0, PTO2_WORKER_VECTOR, params, 2);
  }
}
