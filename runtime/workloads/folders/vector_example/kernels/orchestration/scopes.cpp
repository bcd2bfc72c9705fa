/// c = a + b in the outer scope; in one of their own, which ends with their memory, d = c + 1,
/// e = c + 2, g = d e and f = g + c.
#include <cstdint>
#include <cstring>
#include <iterator>

#include "pto_orchestration_api.h"

namespace {

enum Kernel { ADD, ADD_SCALAR, MULTIPLY };
enum Argument { ARG_A, ARG_B, ARG_F, ARG_COUNT };
constexpr uint64_t shape[] = {128, 128};

Tensor argument(uint64_t address) {
  return make_tensor_external(reinterpret_cast<void*>(address), shape, 2);
}

void submit(PTO2Runtime* rt, Kernel kernel, const Tensor& x, const Tensor& y, const Tensor& z) {
  const PTOParam params[] = {make_input_param(x), make_input_param(y), make_output_param(z)};
  pto2_rt_submit_task(rt, kernel, PTO2_WORKER_VECTOR, params, std::size(params));
}

void add_scalar(PTO2Runtime* rt, const Tensor& x, float scalar, const Tensor& sum) {
  uint32_t bits;
  std::memcpy(&bits, &scalar, sizeof bits);
  const PTOParam params[] = {make_input_param(x), make_output_param(sum), make_scalar_param(bits)};
  pto2_rt_submit_task(rt, ADD_SCALAR, PTO2_WORKER_VECTOR, params, std::size(params));
}

}  // namespace

extern "C" PTO2OrchestrationConfig aicpu_orchestration_config(uint64_t*, int) {
  return {ARG_COUNT};
}

extern "C" void aicpu_orchestration_entry(PTO2Runtime* rt, uint64_t* args, int) {
  const Tensor a = argument(args[ARG_A]), b = argument(args[ARG_B]), f = argument(args[ARG_F]);
  const Tensor c = make_tensor(shape, 2);
  submit(rt, ADD, a, b, c);
  PTO2_SCOPE(rt) {
    const Tensor d = make_tensor(shape, 2), e = make_tensor(shape, 2), g = make_tensor(shape, 2);
    add_scalar(rt, c, 1, d);
    add_scalar(rt, c, 2, e);
    submit(rt, MULTIPLY, d, e, g);
    submit(rt, ADD, g, c, f);
  }
}
