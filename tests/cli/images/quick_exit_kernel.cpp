#include <cstdlib>

#include "runtime/include/pto_kernel_api.h"

/// Takes the process for its own, and has no time.
extern "C" void kernel_entry(int64_t*) {
  std::quick_exit(0);
}
