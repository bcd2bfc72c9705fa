#include "runtime/include/pto_kernel_api.h"

/// Takes its parameter, a tensor, for a pipe.
extern "C" void kernel_entry(int64_t* args) {
  TPOP(args, 0);
}
