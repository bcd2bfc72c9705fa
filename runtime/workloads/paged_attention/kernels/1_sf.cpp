#include <algorithm>

#include "runtime/workloads/attention/kernel_arguments.hpp"

using namespace pto2::workloads;

/// Softmax of block bn for c sequences. In: scores (c, M, N), context lengths (c). Out:
/// probabilities (c, M, N), row maxima (c, M), row sums (c, M). Scalars: scale (float), bn.
extern "C" void kernel_entry(int64_t* args) {
  const PTOTensor& scores = pto_tensor(args, 0);
  const PTOTensor& context_lens = pto_tensor(args, 1);
  const PTOTensor& probabilities = pto_tensor(args, 2);
  const PTOTensor& row_max = pto_tensor(args, 3);
  const PTOTensor& row_sum = pto_tensor(args, 4);
  const float scale = float_argument(args, 5);
  const int64_t columns = scores.shape[2];
  const TileShape tile{scores.shape[1], scores.shape[2], 0};
  for (size_t b = 0; b < scores.shape[0]; ++b) {
    const int64_t context = *outer<int32_t>(context_lens, b);
    const int64_t valid = std::clamp<int64_t>(context - args[6] * columns, 0, columns);
    const SoftmaxTile softmax{outer<float>(scores, b),           scores.strides[1],
                              static_cast<size_t>(valid),        scale,
                              outer<uint16_t>(probabilities, b), outer<float>(row_max, b),
                              outer<float>(row_sum, b)};
    tile_math().softmax(half_format(probabilities), tile, softmax);
  }
}
