#include "runtime/include/pto_kernel_api.h"
#include "runtime/workloads/tile_math/tile_math.hpp"

/// P = A x B, tiles of 64 x 64 floats.
extern "C" void kernel_entry(int64_t* args) {
  pto2::workloads::tile_math().multiply(64, pto_tensor(args, 0).data<float>(),
                                        pto_tensor(args, 1).data<float>(),
                                        pto_tensor(args, 2).data<float>());
}
