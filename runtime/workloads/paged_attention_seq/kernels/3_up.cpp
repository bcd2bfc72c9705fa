#include "runtime/workloads/attention/kernel_arguments.hpp"

using namespace pto2::workloads;

/// Online update with one block of one sequence. In: row maxima (M), row sums (M), weighted values
/// (M, D). In and out: mi (M), li (M), oi (M, D), out (M, D), written in the last step only.
/// Scalars: 1 in the first step, 1 in the last.
extern "C" void kernel_entry(int64_t* args) {
  const PTOTensor& accumulator = pto_tensor(args, 5);
  const PTOTensor& out = pto_tensor(args, 6);
  tile_math().update(
      TileShape{accumulator.shape[0], 0, accumulator.shape[1]},
      UpdateTile{pto_tensor(args, 0).data<float>(), pto_tensor(args, 1).data<float>(),
                 pto_tensor(args, 2).data<float>(), pto_tensor(args, 3).data<float>(),
                 pto_tensor(args, 4).data<float>(), accumulator.data<float>(), out.data<float>(),
                 out.strides[0], args[7] != 0, args[8] != 0});
}
