#include "runtime/include/pto_kernel_api.h"

/// Pops from its parameter, whatever that is.
extern "C" void kernel_entry(int64_t* args) {
  TPOP(args, 0);
}
