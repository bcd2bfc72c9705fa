#include "pto_kernel_api.h"

extern "C" void kernel_entry(int64_t* args) {
  const PTOTensor& out = pto_tensor(args, 2);
  const float* const a = pto_tensor(args, 0).data<float>();
  const float* const b = pto_tensor(args, 1).data<float>();
  for (uint32_t i = 0; i < out.shape[0]; ++i) out.data<float>()[i] = a[i] + b[i];
}
