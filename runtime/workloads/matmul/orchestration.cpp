/// A diamond on both kinds of cores: b = sqrt(log a) on a vector core, b w1 and b w2 on cube cores,
/// f = exp(b w1 + b w2) on a vector core. a, b, w1 and w2 are squares in fp16, the rest is fp32.
#include "runtime/include/pto_orchestration_api.h"

#include <iterator>

#include "runtime/workloads/dense/argument_bytes.hpp"

namespace {

enum Kernel : int32_t { func_sqrt_log = 0, func_matmul = 1, func_add_exp = 2 };

void submit(PTO2Runtime* rt, Kernel kernel, PTO2WorkerType worker, Tensor x, Tensor y,
            Tensor result) {
  const PTOParam params[] = {make_input_param(x), make_input_param(y), make_output_param(result)};
  pto2_rt_submit_task(rt, kernel, worker, params, std::size(params));
}

void build(PTO2Runtime* rt, const uint64_t* args, uint64_t side) {
  const uint64_t shape[] = {side, side};
  Tensor a = make_tensor_external(reinterpret_cast<void*>(args[0]), shape, 2, DataType::FLOAT16);
  Tensor w1 = make_tensor_external(reinterpret_cast<void*>(args[1]), shape, 2, DataType::FLOAT16);
  Tensor w2 = make_tensor_external(reinterpret_cast<void*>(args[2]), shape, 2, DataType::FLOAT16);
  Tensor f = make_tensor_external(reinterpret_cast<void*>(args[3]), shape, 2);
  Tensor b = make_tensor(shape, 2, DataType::FLOAT16);
  Tensor c = make_tensor(shape, 2);
  Tensor d = make_tensor(shape, 2);
  const PTOParam root[] = {make_input_param(a), make_output_param(b)};
  pto2_rt_submit_task(rt, func_sqrt_log, PTO2_WORKER_VECTOR, root, std::size(root));
  submit(rt, func_matmul, PTO2_WORKER_CUBE, b, w1, c);
  submit(rt, func_matmul, PTO2_WORKER_CUBE, b, w2, d);
  submit(rt, func_add_exp, PTO2_WORKER_VECTOR, c, d, f);
}

}  // namespace

/// a, w1, w2, f, the bytes of each, elements of each.
extern "C" PTO2OrchestrationConfig aicpu_orchestration_config(uint64_t*, int) {
  return {.expected_arg_count = 9};
}

extern "C" void aicpu_orchestration_entry(PTO2Runtime* rt, uint64_t* args, int) {
  constexpr uint64_t limit = 1 << 15;  // of the side
  uint64_t side = 1;
  while (side < limit && side * side < args[8]) ++side;
  if (side * side != args[8]) {
    LOG_ERROR(rt, "matmul: %llu elements are no square of up to %llu x %llu",
              static_cast<unsigned long long>(args[8]), static_cast<unsigned long long>(limit),
              static_cast<unsigned long long>(limit));
    return;
  }
  using pto2::workloads::have_bytes;
  if (!have_bytes(rt, "matmul", args, 4, 3, args[8] * get_element_size(DataType::FLOAT16)) ||
      !have_bytes(rt, "matmul", args, 7, 1, args[8] * get_element_size(DataType::FLOAT32))) {
    return;
  }
  build(rt, args, side);
  pto2_rt_orchestration_done(rt);
}
