#include "runtime/workloads/attention/kernel_arguments.hpp"

using namespace pto2::workloads;

/// Softmax of one block of one sequence. In: the valid columns of the scores (M, valid), a view.
/// Out: probabilities (M, N), row maxima (M), row sums (M). Scalar: scale (float).
extern "C" void kernel_entry(int64_t* args) {
  const PTOTensor& scores = pto_tensor(args, 0);
  const PTOTensor& probabilities = pto_tensor(args, 1);
  const TileShape tile{probabilities.shape[0], probabilities.shape[1], 0};
  tile_math().softmax(
      half_format(probabilities), tile,
      SoftmaxTile{scores.data<float>(), scores.strides[0], scores.shape[1], float_argument(args, 4),
                  probabilities.data<uint16_t>(), pto_tensor(args, 2).data<float>(),
                  pto_tensor(args, 3).data<float>()});
}
