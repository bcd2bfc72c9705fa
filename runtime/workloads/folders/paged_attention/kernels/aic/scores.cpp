/// scores = query keys^T: heads x dim by block x dim, to float.
#include <pto/pto-inst.hpp>

#include "../shapes.hpp"

using namespace pto;

namespace {

template <class S>
void multiply(int64_t* args) {
  using T = typename S::Element;
  // The keys lie row by row, so their transpose does column by column.
  using Transposed =
      GlobalTensor<T, Shape<1, 1, 1, S::dim, S::block>, Stride<1, 1, 1, 1, S::dim>, Layout::DN>;
  auto query = view_of<Matrix<T, S::heads, S::dim>>(args[0]);
  auto keys = view_of<Transposed>(args[1]);
  auto scores = view_of<Matrix<float, S::heads, S::block>>(args[2]);

  Tile<TileType::Mat, T, S::heads, S::dim, BLayout::ColMajor, S::heads, S::dim, SLayout::RowMajor>
      query_l1;
  Tile<TileType::Mat, T, S::dim, S::block, BLayout::RowMajor, S::dim, S::block, SLayout::ColMajor>
      keys_l1;
  TileLeft<T, S::heads, S::dim> query_l0;
  TileRight<T, S::dim, S::block> keys_l0;
  TileAcc<float, S::heads, S::block> sum;
  TASSIGN(query_l1, 0x0);
  TASSIGN(keys_l1, 0x10000);
  TASSIGN(query_l0, 0x0);
  TASSIGN(keys_l0, 0x0);
  TASSIGN(sum, 0x0);

  TLOAD(query_l1, query);
  TLOAD(keys_l1, keys);
  set_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);
  wait_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);
  TMOV(query_l0, query_l1);
  TMOV(keys_l0, keys_l1);
  set_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
  wait_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
  TMATMUL(sum, query_l0, keys_l0);
  set_flag(PIPE_M, PIPE_FIX, EVENT_ID0);
  wait_flag(PIPE_M, PIPE_FIX, EVENT_ID0);
  TSTORE(scores, sum);
}

}  // namespace

extern "C" __aicore__ void kernel_entry(__gm__ int64_t* args) {
  const TensorData& query = tensor_of(args[0]);
  const TensorData& keys = tensor_of(args[1]);
  with_sizes(query.shapes[1], keys.shapes[1], query.shapes[2],
             [&](auto sizes) { multiply<decltype(sizes)>(args); });
}
