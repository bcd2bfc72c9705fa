#include "runtime/include/pto_kernel_api.h"

/// Writes where nothing is.
extern "C" void kernel_entry(int64_t*) {
  static volatile uintptr_t address = 0x18;
  *reinterpret_cast<volatile int*>(address) = 1;
}
