#include "runtime/workloads/attention/kernel_arguments.hpp"

using namespace pto2::workloads;

/// Values of block bn, weighted, for c sequences. In: probabilities (c, M, N), value cache
/// (blocks, N, 1, D), block table (c, blocks per request). Out: (c, M, D). Scalar: bn.
extern "C" void kernel_entry(int64_t* args) {
  const PTOTensor& probabilities = pto_tensor(args, 0);
  const PTOTensor& values = pto_tensor(args, 1);
  const PTOTensor& block_table = pto_tensor(args, 2);
  const PTOTensor& out = pto_tensor(args, 3);
  const auto bn = static_cast<size_t>(args[4]);
  const TileShape tile{out.shape[1], probabilities.shape[2], out.shape[2]};
  for (size_t b = 0; b < out.shape[0]; ++b) {
    const auto block = static_cast<size_t>(outer<int32_t>(block_table, b)[bn]);
    tile_math().weighted_values(half_format(probabilities), tile, outer<uint16_t>(probabilities, b),
                                outer<uint16_t>(values, block), outer<float>(out, b));
  }
}
