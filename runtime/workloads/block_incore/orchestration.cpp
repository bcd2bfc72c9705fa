/// T = A x A + B and C[i] = T[n - 1 - i] + A[i], elementwise over n floats. Each of the two is a
/// block_incore call: one kernel for every block, which gets the whole tensors and works on its
/// part of what it writes. The second reads the parts of other blocks, so each of its blocks waits
/// for all of the first.
#include "runtime/include/pto_orchestration_api.h"

#include "runtime/workloads/dense/argument_bytes.hpp"

namespace {

enum Kernel : int32_t { func_square_add = 0, func_reverse_add = 1 };

/// One task per block, with block_dim and bid behind the parameters; the original's form.
void expand(PTO2Runtime* rt, int32_t kernel, int32_t worker_type, const PTOParam (&params)[3],
            int32_t block_dim) {
  PTOParam all[] = {params[0], params[1], params[2],
                    make_scalar_param(static_cast<uint64_t>(block_dim)), make_scalar_param(0)};
  for (int32_t bid = 0; bid < block_dim; ++bid) {
    all[4] = make_scalar_param(static_cast<uint64_t>(bid));
    pto2_rt_submit_task(rt, kernel, worker_type, all, 5);
  }
}

void block_incore(PTO2Runtime* rt, int32_t kernel, int32_t worker_type, const PTOParam (&params)[3],
                  int32_t block_dim, bool one_task) {
  if (one_task) {
    pto2_rt_submit_block_task(rt, kernel, worker_type, params, 3, block_dim);
  } else {
    expand(rt, kernel, worker_type, params, block_dim);
  }
}

}  // namespace

/// A, B, C, size_A, size_B, size_C (bytes), block_dim, and 1 for block tasks or 0 for a task per
/// block.
extern "C" PTO2OrchestrationConfig aicpu_orchestration_config(uint64_t*, int) {
  return {.expected_arg_count = 8};
}

extern "C" void aicpu_orchestration_entry(PTO2Runtime* rt, uint64_t* args, int) {
  const uint64_t shape[] = {args[3] / sizeof(float)};
  if (shape[0] == 0) {
    LOG_ERROR(rt, "block_incore: A has no element");
    return;
  }
  if (args[6] < 1 || args[6] > 65535) {
    LOG_ERROR(rt, "block_incore: block_dim is %llu, not in 1..65535",
              static_cast<unsigned long long>(args[6]));
    return;
  }
  if (!pto2::workloads::have_bytes(rt, "block_incore", args, 4, 2, args[3])) return;
  Tensor a = make_tensor_external(reinterpret_cast<void*>(args[0]), shape, 1);
  Tensor b = make_tensor_external(reinterpret_cast<void*>(args[1]), shape, 1);
  Tensor c = make_tensor_external(reinterpret_cast<void*>(args[2]), shape, 1);
  Tensor t = make_tensor(shape, 1);
  const auto block_dim = static_cast<int32_t>(args[6]);
  const bool one_task = args[7] != 0;
  block_incore(rt, func_square_add, PTO2_WORKER_CUBE,
               {make_input_param(a), make_input_param(b), make_output_param(t)}, block_dim,
               one_task);
  block_incore(rt, func_reverse_add, PTO2_WORKER_VECTOR,
               {make_input_param(t), make_input_param(a), make_output_param(c)}, block_dim,
               one_task);
  pto2_rt_orchestration_done(rt);
}
