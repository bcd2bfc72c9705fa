#include <algorithm>

#include "runtime/include/pto_kernel_api.h"

/// C = max(0, C), a tile of 64 x 64 floats.
extern "C" void kernel_entry(int64_t* args) {
  float* c = pto_tensor(args, 0).data<float>();
  for (int i = 0; i < 64 * 64; ++i) c[i] = std::max(0.0f, c[i]);
}
