#include "runtime/workloads/attention/kernel_arguments.hpp"

using namespace pto2::workloads;

/// Online update with one block for c sequences. In: row maxima (c, M), row sums (c, M), weighted
/// values (c, M, D). In and out: mi (c, M), li (c, M), oi (c, M, D), out (c, M, D), written in the
/// last step only. Scalars: 1 in the first step, 1 in the last.
extern "C" void kernel_entry(int64_t* args) {
  const PTOTensor& accumulator = pto_tensor(args, 5);
  const PTOTensor& out = pto_tensor(args, 6);
  const TileShape tile{accumulator.shape[1], 0, accumulator.shape[2]};
  for (size_t b = 0; b < accumulator.shape[0]; ++b) {
    tile_math().update(
        tile, UpdateTile{outer<float>(pto_tensor(args, 0), b), outer<float>(pto_tensor(args, 1), b),
                         outer<float>(pto_tensor(args, 2), b), outer<float>(pto_tensor(args, 3), b),
                         outer<float>(pto_tensor(args, 4), b), outer<float>(accumulator, b),
                         outer<float>(out, b), out.strides[1], args[7] != 0, args[8] != 0});
  }
}
