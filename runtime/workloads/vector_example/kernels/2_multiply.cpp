#include "runtime/include/pto_kernel_api.h"

/// product = x * y, element by element.
extern "C" void kernel_entry(int64_t* args) {
  const PTOTensor& product = pto_tensor(args, 2);
  const auto* x = pto_tensor(args, 0).data<const float>();
  const auto* y = pto_tensor(args, 1).data<const float>();
  for (uint32_t i = 0; i < product.shape[0]; ++i) product.data<float>()[i] = x[i] * y[i];
}
