#include "runtime/workloads/block_incore/block_part.hpp"

/// T = A x A + B in the part of one block: A, B, T, block_dim, bid.
extern "C" void kernel_entry(int64_t* args) {
  const pto2::workloads::BlockPart part(args);
  const float* a = pto_tensor(args, 0).data<float>();
  const float* b = pto_tensor(args, 1).data<float>();
  float* t = pto_tensor(args, 2).data<float>();
  for (uint64_t i = part.begin; i < part.end; ++i) t[i] = a[i] * a[i] + b[i];
}
