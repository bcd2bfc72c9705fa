/// What the original's compiler generates for a call with several blocks: a loop that submits one
/// task per block, with the number of blocks and the block's own number as the last scalars.
#include "pto_orchestration_api.h"

constexpr int KERNEL_FUNC_ID = 4;

extern "C" PTO2OrchestrationConfig aicpu_orchestration_config(uint64_t*, int) {
  return {3};
}

/// in, out, number of blocks.
extern "C" int aicpu_orchestration_entry(PTO2Runtime* rt, uint64_t* args, int) {
  const int block_dim = static_cast<int>(args[2]);
  uint64_t shapes[] = {static_cast<uint64_t>(block_dim)};
  Tensor input = make_tensor_external(reinterpret_cast<void*>(args[0]), shapes, 1);
  Tensor output = make_tensor_external(reinterpret_cast<void*>(args[1]), shapes, 1);
  PTO2_SCOPE(rt) {
    for (int bid = 0; bid < block_dim; bid++) {
      PTOParam params[] = {
          make_input_param(input),
          make_output_param(output),
          make_scalar_param(block_dim),
          make_scalar_param(bid),
      };
      pto2_rt_submit_task(rt, KERNEL_FUNC_ID, PTO2_WORKER_VECTOR, params, 4);
    }
  }
  if (!output.is_contiguous() || output.numel() != input.numel()) {
    LOG_ERROR(rt, "%s", ("not whole: " + output.dump()).c_str());
    return -1;
  }
  return 0;
}
