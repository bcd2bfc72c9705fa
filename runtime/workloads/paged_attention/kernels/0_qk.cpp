#include "runtime/workloads/attention/kernel_arguments.hpp"

using namespace pto2::workloads;

/// Scores of block bn for c sequences. In: query (c, M, D), key cache (blocks, N, 1, D), block
/// table (c, blocks per request). Out: scores (c, M, N). Scalar: bn.
extern "C" void kernel_entry(int64_t* args) {
  const PTOTensor& query = pto_tensor(args, 0);
  const PTOTensor& keys = pto_tensor(args, 1);
  const PTOTensor& block_table = pto_tensor(args, 2);
  const PTOTensor& scores = pto_tensor(args, 3);
  const auto bn = static_cast<size_t>(args[4]);
  const TileShape tile{query.shape[1], keys.shape[1], query.shape[2]};
  for (size_t b = 0; b < query.shape[0]; ++b) {
    const auto block = static_cast<size_t>(outer<int32_t>(block_table, b)[bn]);
    tile_math().scores(half_format(query), tile, outer<uint16_t>(query, b), query.strides[1],
                       outer<uint16_t>(keys, block), outer<float>(scores, b));
  }
}
