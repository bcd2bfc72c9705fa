/// out = (a + b) * (a - b) + bias: the sum and the difference side by side, then the rest.
#include "pto_orchestration_api.h"

namespace {

enum Kernel : int32_t { add, subtract, multiply_add };
enum Argument { arg_a, arg_b, arg_out, arg_elements, arg_bias, arg_count };

Tensor external(uint64_t address, const uint64_t* shape) {
  return make_tensor_external(reinterpret_cast<void*>(address), shape, 1);
}

}  // namespace

extern "C" PTO2OrchestrationConfig aicpu_orchestration_config(uint64_t*, int) {
  return {arg_count};
}

extern "C" void build_graph(PTO2Runtime* rt, uint64_t* args, int) {
  const uint64_t shape[] = {args[arg_elements]};
  const Tensor a = external(args[arg_a], shape);
  const Tensor b = external(args[arg_b], shape);
  const Tensor out = external(args[arg_out], shape);
  PTO2_SCOPE(rt) {
    const Tensor sum = make_tensor(shape, 1);
    const Tensor difference = make_tensor(shape, 1);
    const PTOParam of_sum[] = {make_input_param(a), make_input_param(b), make_output_param(sum)};
    pto2_rt_submit_task(rt, add, PTO2_WORKER_VECTOR, of_sum, 3);
    const PTOParam of_difference[] = {make_input_param(a), make_input_param(b),
                                      make_output_param(difference)};
    pto2_rt_submit_task(rt, subtract, PTO2_WORKER_VECTOR, of_difference, 3);
    const PTOParam of_out[] = {make_input_param(sum), make_input_param(difference),
                               make_scalar_param(args[arg_bias]), make_output_param(out)};
    pto2_rt_submit_task(rt, multiply_add, PTO2_WORKER_VECTOR, of_out, 4);
  }
}
