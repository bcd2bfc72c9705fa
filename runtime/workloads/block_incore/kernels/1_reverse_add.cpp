#include "runtime/workloads/block_incore/block_part.hpp"

/// C[i] = T[n - 1 - i] + A[i] in the part of one block: T, A, C, block_dim, bid.
extern "C" void kernel_entry(int64_t* args) {
  const pto2::workloads::BlockPart part(args);
  const float* t = pto_tensor(args, 0).data<float>();
  const float* a = pto_tensor(args, 1).data<float>();
  float* c = pto_tensor(args, 2).data<float>();
  for (uint64_t i = part.begin; i < part.end; ++i) c[i] = t[part.size - 1 - i] + a[i];
}
