/// b = sqrt(log a) on a vector core, c = b w1 and d = b w2 on cube cores, f = exp(c + d) on a
/// vector core. a, b, w1 and w2 are half, the others float.
#include <cstdint>
#include <iterator>

#include "pto_orchestration_api.h"

namespace {

enum Kernel { SQRT_LOG, MATMUL, EXP_OF_SUM };
enum Argument { ARG_A, ARG_W1, ARG_W2, ARG_F, ARG_SIDE, ARG_COUNT };
constexpr uint64_t kernel_side = 128;  // what the kernels are made for

}  // namespace

extern "C" PTO2OrchestrationConfig aicpu_orchestration_config(uint64_t*, int) {
  return {ARG_COUNT};
}

extern "C" void aicpu_orchestration_entry(PTO2Runtime* rt, uint64_t* args, int) {
  if (args[ARG_SIDE] != kernel_side) {
    pto2_rt_fail(rt, 1, "the kernels multiply matrices of 128 x 128");
    return;
  }
  const uint64_t shape[] = {kernel_side, kernel_side};
  const auto argument = [&](Argument i, DataType type) {
    return make_tensor_external(reinterpret_cast<void*>(args[i]), shape, 2, type);
  };
  const Tensor a = argument(ARG_A, DataType::FLOAT16);
  const Tensor w1 = argument(ARG_W1, DataType::FLOAT16);
  const Tensor w2 = argument(ARG_W2, DataType::FLOAT16);
  const Tensor f = argument(ARG_F, DataType::FLOAT32);
  PTO2_SCOPE(rt) {
    const Tensor b = make_tensor(shape, 2, DataType::FLOAT16);
    const Tensor c = make_tensor(shape, 2), d = make_tensor(shape, 2);
    const PTOParam sqrt_log[] = {make_input_param(a), make_output_param(b)};
    pto2_rt_submit_task(rt, SQRT_LOG, PTO2_WORKER_VECTOR, sqrt_log, std::size(sqrt_log));
    const PTOParam left[] = {make_input_param(b), make_input_param(w1), make_output_param(c)};
    pto2_rt_submit_task(rt, MATMUL, PTO2_WORKER_CUBE, left, std::size(left));
    const PTOParam right[] = {make_input_param(b), make_input_param(w2), make_output_param(d)};
    pto2_rt_submit_task(rt, MATMUL, PTO2_WORKER_CUBE, right, std::size(right));
    const PTOParam exp[] = {make_input_param(c), make_input_param(d), make_output_param(f)};
    pto2_rt_submit_task(rt, EXP_OF_SUM, PTO2_WORKER_VECTOR, exp, std::size(exp));
  }
}
