#include "runtime/include/pto_kernel_api.h"

/// A part of a block task: writes how many parts there are, and which it is, behind what those
/// before it wrote to its parameter. The first element counts them.
extern "C" void kernel_entry(int64_t* args) {
  auto* const to = pto_tensor(args, 0).data<int32_t>();
  const int32_t before = to[0]++;
  to[1 + 2 * before] = static_cast<int32_t>(args[1]);
  to[2 + 2 * before] = static_cast<int32_t>(args[2]);
}
