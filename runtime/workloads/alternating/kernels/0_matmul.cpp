#include "runtime/include/pto_kernel_api.h"
#include "runtime/workloads/tile_math/tile_math.hpp"

/// C = A x B, squares of 128 x 128 floats.
extern "C" void kernel_entry(int64_t* args) {
  pto2::workloads::tile_math().multiply(128, pto_tensor(args, 0).data<float>(),
                                        pto_tensor(args, 1).data<float>(),
                                        pto_tensor(args, 2).data<float>());
}
