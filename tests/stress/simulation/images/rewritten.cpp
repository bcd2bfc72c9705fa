/// 256 tasks that write two arrays in turn: each reads what the one before has written. Those in
/// between have a scope of their own, which is another ring if there are several.
#include <iterator>

#include "runtime/include/pto_orchestration_api.h"

namespace {

float memory[2][16];

void submit(PTO2Runtime* rt, Tensor from, Tensor to) {
  const PTOParam params[] = {make_input_param(from), make_output_param(to)};
  pto2_rt_submit_task(rt, 0, PTO2_WORKER_VECTOR, params, std::size(params));
}

}  // namespace

/// Those of bgemm.
extern "C" PTO2OrchestrationConfig aicpu_orchestration_config(uint64_t*, int) {
  return {.expected_arg_count = 6};
}

extern "C" void aicpu_orchestration_entry(PTO2Runtime* rt, uint64_t*, int) {
  const uint64_t shape[] = {std::size(memory[0])};
  const Tensor x = make_tensor_external(memory[0], shape, 1);
  const Tensor y = make_tensor_external(memory[1], shape, 1);
  for (int i = 0; i < 128; ++i) {
    submit(rt, y, x);
    PTO2_SCOPE(rt) {
      submit(rt, x, y);
    }
  }
  pto2_rt_orchestration_done(rt);
}
