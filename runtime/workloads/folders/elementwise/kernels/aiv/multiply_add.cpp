/// A float travels in the low 32 bits of an argument.
#include "pto_kernel_api.h"

extern "C" void kernel_entry(int64_t* args) {
  const PTOTensor& out = pto_tensor(args, 3);
  const float* const x = pto_tensor(args, 0).data<float>();
  const float* const y = pto_tensor(args, 1).data<float>();
  float bias;
  std::memcpy(&bias, &args[2], sizeof bias);
  for (uint32_t i = 0; i < out.shape[0]; ++i) out.data<float>()[i] = x[i] * y[i] + bias;
}
