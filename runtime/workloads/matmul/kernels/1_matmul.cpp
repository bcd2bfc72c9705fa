#include "runtime/include/pto_kernel_api.h"
#include "runtime/workloads/tile_math/tile_math.hpp"

using namespace pto2::workloads;

/// product = b x w: fp16 in, fp32 out.
extern "C" void kernel_entry(int64_t* args) {
  const PTOTensor& b = pto_tensor(args, 0);
  const PTOTensor& w = pto_tensor(args, 1);
  tile_math().weighted_values(HalfFormat::float16, {b.shape[0], b.shape[1], w.shape[1]},
                              b.data<uint16_t>(), w.data<uint16_t>(),
                              pto_tensor(args, 2).data<float>());
}
