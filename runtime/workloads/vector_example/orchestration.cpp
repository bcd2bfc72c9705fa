/// f = (a + b + 1) * (a + b + 2) + (a + b), element by element: c = a + b in the outer scope, the
/// rest in a nested one that reads c.
#include "runtime/include/pto_orchestration_api.h"

#include <bit>
#include <iterator>

namespace {

enum Kernel : int32_t { func_add = 0, func_add_scalar = 1, func_multiply = 2 };

void add(PTO2Runtime* rt, Tensor x, Tensor y, const PTOParam& sum) {
  const PTOParam params[] = {make_input_param(x), make_input_param(y), sum};
  pto2_rt_submit_task(rt, func_add, PTO2_WORKER_VECTOR, params, std::size(params));
}

void add_scalar(PTO2Runtime* rt, Tensor x, float scalar, Tensor sum) {
  const PTOParam params[] = {make_input_param(x), make_output_param(sum),
                             make_scalar_param(std::bit_cast<uint32_t>(scalar))};
  pto2_rt_submit_task(rt, func_add_scalar, PTO2_WORKER_VECTOR, params, std::size(params));
}

void multiply(PTO2Runtime* rt, Tensor x, Tensor y, Tensor product) {
  const PTOParam params[] = {make_input_param(x), make_input_param(y), make_output_param(product)};
  pto2_rt_submit_task(rt, func_multiply, PTO2_WORKER_VECTOR, params, std::size(params));
}

void submit_nested(PTO2Runtime* rt, const uint64_t* shape, Tensor c, Tensor f) {
  Tensor d = make_tensor(shape, 1);
  Tensor e = make_tensor(shape, 1);
  Tensor g = make_tensor(shape, 1);
  add_scalar(rt, c, 1.0f, d);
  add_scalar(rt, c, 2.0f, e);
  multiply(rt, d, e, g);
  add(rt, g, c, make_output_param(f));
}

}  // namespace

/// a, b, f, size_a, size_b, size_f (bytes), number of elements.
extern "C" PTO2OrchestrationConfig aicpu_orchestration_config(uint64_t*, int) {
  return {.expected_arg_count = 7};
}

extern "C" void aicpu_orchestration_entry(PTO2Runtime* rt, uint64_t* args, int) {
  const uint64_t shape[] = {args[6]};
  for (int i = 3; i < 6; ++i) {
    if (args[i] / sizeof(float) != shape[0] || args[i] % sizeof(float) != 0) {
      LOG_ERROR(rt, "vector_example: argument %d is %llu bytes, not %llu floats", i,
                static_cast<unsigned long long>(args[i]),
                static_cast<unsigned long long>(shape[0]));
      return;
    }
  }
  Tensor a = make_tensor_external(reinterpret_cast<void*>(args[0]), shape, 1);
  Tensor b = make_tensor_external(reinterpret_cast<void*>(args[1]), shape, 1);
  Tensor f = make_tensor_external(reinterpret_cast<void*>(args[2]), shape, 1);
  Tensor c = make_tensor(shape, 1);
  add(rt, a, b, make_output_param(c));
  PTO2_SCOPE(rt) {
    submit_nested(rt, shape, c, f);
  }
  pto2_rt_orchestration_done(rt);
}
