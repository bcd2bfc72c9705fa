#include "pto_kernel_api.h"

extern "C" void kernel_entry(int64_t* args) {
  const PTOTensor& out = pto_tensor(args, 2);
  const uint32_t n = out.shape[0];
  const float* const a = pto_tensor(args, 0).data<float>();
  const float* const b = pto_tensor(args, 1).data<float>();
  float* const c = out.data<float>();
  for (uint32_t i = 0; i < n; ++i) {
    for (uint32_t j = 0; j < n; ++j) c[i * n + j] = 0;
    for (uint32_t k = 0; k < n; ++k) {
      for (uint32_t j = 0; j < n; ++j) c[i * n + j] += a[i * n + k] * b[k * n + j];
    }
  }
}
