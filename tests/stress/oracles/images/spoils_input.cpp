#include "runtime/include/pto_kernel_api.h"

/// Changes its parameter, which it is to read.
extern "C" void kernel_entry(int64_t* args) {
  *pto_tensor(args, 0).data<float>() = 2;
}
