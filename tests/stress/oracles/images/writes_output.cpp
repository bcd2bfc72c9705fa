#include "runtime/include/pto_kernel_api.h"

/// Writes its parameter.
extern "C" void kernel_entry(int64_t* args) {
  *pto_tensor(args, 0).data<float>() = 1;
}
