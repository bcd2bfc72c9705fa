#include "runtime/workloads/attention/kernel_arguments.hpp"

using namespace pto2::workloads;

/// The softmax of the batch form, but it takes every column for valid.
extern "C" void kernel_entry(int64_t* args) {
  const PTOTensor& scores = pto_tensor(args, 0);
  const PTOTensor& probabilities = pto_tensor(args, 2);
  const TileShape tile{scores.shape[1], scores.shape[2], 0};
  for (size_t b = 0; b < scores.shape[0]; ++b) {
    tile_math().softmax(
        half_format(probabilities), tile,
        SoftmaxTile{outer<float>(scores, b), scores.strides[1], tile.columns,
                    float_argument(args, 5), outer<uint16_t>(probabilities, b),
                    outer<float>(pto_tensor(args, 3), b), outer<float>(pto_tensor(args, 4), b)});
  }
}
