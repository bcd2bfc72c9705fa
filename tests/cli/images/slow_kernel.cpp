#include "runtime/include/pto_kernel_api.h"

/// Takes a few milliseconds.
extern "C" void kernel_entry(int64_t*) {
  for (int i = 0; i < 3'000'000; ++i) asm volatile("");
}
