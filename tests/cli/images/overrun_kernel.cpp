#include "runtime/include/pto_kernel_api.h"

/// product = a * b as vector_example has it, and one element more.
extern "C" void kernel_entry(int64_t* args) {
  const PTOTensor& product = pto_tensor(args, 2);
  const auto* a = pto_tensor(args, 0).data<const float>();
  const auto* b = pto_tensor(args, 1).data<const float>();
  for (uint32_t i = 0; i < product.shape[0]; ++i) product.data<float>()[i] = a[i] * b[i];
  product.data<float>()[product.shape[0]] = 0;
}
