#include "runtime/include/pto_kernel_api.h"

/// sum = x + y, all of the same length.
extern "C" void kernel_entry(int64_t* args) {
  const PTOTensor& sum = pto_tensor(args, 2);
  const auto* x = pto_tensor(args, 0).data<const float>();
  const auto* y = pto_tensor(args, 1).data<const float>();
  for (uint32_t i = 0; i < sum.shape[0]; ++i) sum.data<float>()[i] = x[i] + y[i];
}
