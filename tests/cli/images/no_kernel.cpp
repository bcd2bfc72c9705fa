#include "runtime/include/pto_kernel_api.h"

/// Does nothing.
extern "C" void kernel_entry(int64_t*) {}
