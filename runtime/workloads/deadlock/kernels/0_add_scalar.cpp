#include <bit>

#include "runtime/include/pto_kernel_api.h"

/// sum = x + a scalar, both of the same length.
extern "C" void kernel_entry(int64_t* args) {
  const auto* x = pto_tensor(args, 0).data<const float>();
  const PTOTensor& sum = pto_tensor(args, 1);
  const auto scalar = std::bit_cast<float>(static_cast<uint32_t>(args[2]));
  for (uint32_t i = 0; i < sum.shape[0]; ++i) sum.data<float>()[i] = x[i] + scalar;
}
