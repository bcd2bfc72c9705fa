#include "runtime/include/pto_kernel_api.h"

/// Z = X + Y, 64 x 128 floats.
extern "C" void kernel_entry(int64_t* args) {
  const float* x = pto_tensor(args, 0).data<float>();
  const float* y = pto_tensor(args, 1).data<float>();
  float* z = pto_tensor(args, 2).data<float>();
  for (int i = 0; i < 64 * 128; ++i) z[i] = x[i] + y[i];
}
