#include "runtime/include/pto_kernel_api.h"

/// C += P, tiles of 64 x 64 floats.
extern "C" void kernel_entry(int64_t* args) {
  const float* p = pto_tensor(args, 0).data<float>();
  float* c = pto_tensor(args, 1).data<float>();
  for (int i = 0; i < 64 * 64; ++i) c[i] += p[i];
}
