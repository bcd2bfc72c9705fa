#include "runtime/workloads/attention/kernel_arguments.hpp"

using namespace pto2::workloads;

/// Scores of one block of one sequence. In: query (M, D), keys (N, D). Out: scores (M, N).
extern "C" void kernel_entry(int64_t* args) {
  const PTOTensor& query = pto_tensor(args, 0);
  const PTOTensor& keys = pto_tensor(args, 1);
  const TileShape tile{query.shape[0], keys.shape[0], query.shape[1]};
  tile_math().scores(half_format(query), tile, query.data<uint16_t>(), query.strides[0],
                     keys.data<uint16_t>(), pto_tensor(args, 2).data<float>());
}
