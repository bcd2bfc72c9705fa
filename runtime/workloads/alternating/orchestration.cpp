/// For each of a batch, M products C = A x B of 128 x 128 on cube cores and N sums Z = X + Y of
/// 64 x 128 on vector cores, in turn. No task depends on another.
#include "runtime/include/pto_orchestration_api.h"

#include <algorithm>
#include <iterator>

#include "runtime/workloads/dense/argument_bytes.hpp"

namespace {

enum Kernel : int32_t { func_matmul = 0, func_add = 1 };

/// Three tensors of `count` parts of height x width each: third = f(first, second), part by part.
class Triple {
 public:
  Triple(const uint64_t* args, uint64_t count, uint64_t height, uint64_t width)
      : part_{1, height, width} {
    const uint64_t shape[] = {count, height, width};
    for (int i = 0; i < 3; ++i) {
      tensors_[i] = make_tensor_external(reinterpret_cast<void*>(args[i]), shape, 3);
    }
  }
  void submit(PTO2Runtime* rt, int32_t kernel, int32_t worker, uint64_t part) const {
    const PTOParam params[] = {make_input_param(part_of(0, part)),
                               make_input_param(part_of(1, part)),
                               make_output_param(part_of(2, part))};
    pto2_rt_submit_task(rt, kernel, worker, params, std::size(params));
  }

 private:
  Tensor part_of(int tensor, uint64_t part) const {
    const uint64_t offsets[] = {part, 0, 0};
    return tensors_[tensor].view(part_, offsets);
  }

  uint64_t part_[3];
  Tensor tensors_[3];
};

/// The batch, M and N.
bool check_config(PTO2Runtime* rt, const int64_t* config) {
  constexpr int64_t limit = 1 << 20;  // so that no product overflows
  for (int i = 0; i < 3; ++i) {
    if (config[i] >= 1 && config[i] <= limit) continue;
    LOG_ERROR(rt, "alternating: config[%d] is %lld, not in 1..%lld", i,
              static_cast<long long>(config[i]), static_cast<long long>(limit));
    return false;
  }
  return true;
}

}  // namespace

/// A, B, C, X, Y, Z, the bytes of each, config {batch, M, N} (int64).
extern "C" PTO2OrchestrationConfig aicpu_orchestration_config(uint64_t*, int) {
  return {.expected_arg_count = 13};
}

extern "C" void aicpu_orchestration_entry(PTO2Runtime* rt, uint64_t* args, int) {
  const auto* config = reinterpret_cast<const int64_t*>(args[12]);
  if (!check_config(rt, config)) return;
  const auto batch = static_cast<uint64_t>(config[0]);
  const auto products = static_cast<uint64_t>(config[1]);
  const auto sums = static_cast<uint64_t>(config[2]);
  using pto2::workloads::have_bytes;
  if (!have_bytes(rt, "alternating", args, 6, 3, batch * products * 128 * 128 * sizeof(float)) ||
      !have_bytes(rt, "alternating", args, 9, 3, batch * sums * 64 * 128 * sizeof(float))) {
    return;
  }
  const Triple abc(args, batch * products, 128, 128);
  const Triple xyz(args + 3, batch * sums, 64, 128);
  for (uint64_t b = 0; b < batch; ++b) {
    for (uint64_t i = 0; i < std::max(products, sums); ++i) {
      if (i < products) abc.submit(rt, func_matmul, PTO2_WORKER_CUBE, b * products + i);
      if (i < sums) xyz.submit(rt, func_add, PTO2_WORKER_VECTOR, b * sums + i);
    }
  }
  pto2_rt_orchestration_done(rt);
}
