/// c = a @ b + d for each batch. The scope of a batch gives the memory of its product back.
#include "pto_orchestration_api.h"

namespace {

enum Kernel : int32_t { matmul, add };
enum Argument { arg_a, arg_b, arg_d, arg_c, arg_batches, arg_size, arg_count };

Tensor matrix(uint64_t array, uint64_t batch, const uint64_t* shape) {
  const uint64_t bytes = shape[0] * shape[1] * sizeof(float);
  return make_tensor_external(reinterpret_cast<void*>(array + batch * bytes), shape, 2);
}

}  // namespace

extern "C" PTO2OrchestrationConfig aicpu_orchestration_config(uint64_t*, int) {
  return {arg_count};
}

extern "C" void aicpu_orchestration_entry(PTO2Runtime* rt, uint64_t* args, int) {
  const uint64_t shape[] = {args[arg_size], args[arg_size]};
  for (uint64_t batch = 0; batch < args[arg_batches]; ++batch) {
    PTO2_SCOPE(rt) {
      const Tensor product = make_tensor(shape, 2);
      const PTOParam of_product[] = {make_input_param(matrix(args[arg_a], batch, shape)),
                                     make_input_param(matrix(args[arg_b], batch, shape)),
                                     make_output_param(product)};
      pto2_rt_submit_task(rt, matmul, PTO2_WORKER_CUBE, of_product, 3);
      const PTOParam of_sum[] = {make_input_param(product),
                                 make_input_param(matrix(args[arg_d], batch, shape)),
                                 make_output_param(matrix(args[arg_c], batch, shape))};
      pto2_rt_submit_task(rt, add, PTO2_WORKER_VECTOR, of_sum, 3);
    }
  }
}
