#include "runtime/workloads/attention/kernel_arguments.hpp"

using namespace pto2::workloads;

/// Weighted values of one block of one sequence. In: probabilities (M, N), values (N, D). Out:
/// (M, D).
extern "C" void kernel_entry(int64_t* args) {
  const PTOTensor& probabilities = pto_tensor(args, 0);
  const PTOTensor& values = pto_tensor(args, 1);
  const TileShape tile{probabilities.shape[0], values.shape[0], values.shape[1]};
  tile_math().weighted_values(half_format(probabilities), tile, probabilities.data<uint16_t>(),
                              values.data<uint16_t>(), pto_tensor(args, 2).data<float>());
}
