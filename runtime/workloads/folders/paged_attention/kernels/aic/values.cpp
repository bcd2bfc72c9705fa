/// weighted = weights values: heads x block by block x dim, to float.
#include <pto/pto-inst.hpp>

#include "../shapes.hpp"

using namespace pto;

namespace {

template <class S>
void multiply(int64_t* args) {
  using T = typename S::Element;
  auto weights = view_of<Matrix<T, S::heads, S::block>>(args[0]);
  auto values = view_of<Matrix<T, S::block, S::dim>>(args[1]);
  auto weighted = view_of<Matrix<float, S::heads, S::dim>>(args[2]);

  Tile<TileType::Mat, T, S::heads, S::block, BLayout::ColMajor, S::heads, S::block,
       SLayout::RowMajor>
      weights_l1;
  Tile<TileType::Mat, T, S::block, S::dim, BLayout::ColMajor, S::block, S::dim, SLayout::RowMajor>
      values_l1;
  TileLeft<T, S::heads, S::block> weights_l0;
  TileRight<T, S::block, S::dim> values_l0;
  TileAcc<float, S::heads, S::dim> sum;
  TASSIGN(weights_l1, 0x0);
  TASSIGN(values_l1, 0x10000);
  TASSIGN(weights_l0, 0x0);
  TASSIGN(values_l0, 0x0);
  TASSIGN(sum, 0x0);

  TLOAD(weights_l1, weights);
  TLOAD(values_l1, values);
  set_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);
  wait_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);
  TMOV(weights_l0, weights_l1);
  TMOV(values_l0, values_l1);
  set_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
  wait_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
  TMATMUL(sum, weights_l0, values_l0);
  set_flag(PIPE_M, PIPE_FIX, EVENT_ID0);
  wait_flag(PIPE_M, PIPE_FIX, EVENT_ID0);
  TSTORE(weighted, sum);
}

}  // namespace

extern "C" __aicore__ void kernel_entry(__gm__ int64_t* args) {
  const TensorData& weights = tensor_of(args[0]);
  const TensorData& values = tensor_of(args[1]);
  with_sizes(weights.shapes[0], weights.shapes[1], values.shapes[2],
             [&](auto sizes) { multiply<decltype(sizes)>(args); });
}
