#include "runtime/include/pto_kernel_api.h"

/// Outputs oi, li, mi. It does no work: the task exists to allocate them for the scope.
extern "C" void kernel_entry(int64_t*) {}
