#include "runtime/include/pto_kernel_api.h"

/// Never returns.
extern "C" void kernel_entry(int64_t*) {
  for (;;) asm volatile("");
}
