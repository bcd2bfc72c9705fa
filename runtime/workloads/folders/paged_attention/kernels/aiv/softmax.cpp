/// Of each row of scores: the maximum of what is valid, the exponentials of the differences to it,
/// rounded to 16 bits, and their sum. What is not valid has no weight.
#include <cstring>
#include <pto/pto-inst.hpp>

#include "../shapes.hpp"

using namespace pto;

namespace {

template <class S>
void weigh(int64_t* args, float scale, int valid) {
  using T = typename S::Element;
  constexpr int M = S::heads, N = S::block;
  using Valid = Tile<TileType::Vec, float, M, N, BLayout::RowMajor, M, DYNAMIC>;
  using Whole = Tile<TileType::Vec, float, M, N, BLayout::RowMajor, M, N, SLayout::NoneBox,
                     TileConfig::fractalABSize, PadValue::Min>;
  using PerRow = Tile<TileType::Vec, float, M, 1, BLayout::ColMajor>;
  using Partial = GlobalTensor<float, Shape<1, 1, 1, M, DYNAMIC>, Stride<1, 1, 1, N, 1>>;
  Partial scores(
      reinterpret_cast<float*>(tensor_of(args[0]).buffer.addr) + tensor_of(args[0]).start_offset,
      Shape<1, 1, 1, M, DYNAMIC>(valid));
  auto weights = view_of<Matrix<T, M, N>>(args[1]);
  auto maxima = view_of<Column<M>>(args[2]);
  auto sums = view_of<Column<M>>(args[3]);

  Valid loaded(valid);
  Whole all, scratch;
  Tile<TileType::Vec, T, M, N> rounded;
  PerRow maximum, sum;
  TASSIGN(loaded, 0x0);
  TASSIGN(all, 0x0);
  TASSIGN(scratch, 0x8000);
  TASSIGN(rounded, 0x10000);
  TASSIGN(maximum, 0x18000);
  TASSIGN(sum, 0x18100);

  TLOAD(loaded, scores);
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
  TMULS(loaded, loaded, scale);
  TFILLPAD_INPLACE(all, loaded);
  TROWMAX(maximum, all, scratch);
  TROWEXPANDSUB(all, all, maximum);
  TEXP(all, all);
  TCVT(rounded, all, RoundMode::CAST_RINT);
  TCVT(all, rounded, RoundMode::CAST_NONE);
  TROWSUM(sum, all, scratch);
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
  TSTORE(weights, rounded);
  TSTORE(maxima, maximum);
  TSTORE(sums, sum);
}

}  // namespace

extern "C" __aicore__ void kernel_entry(__gm__ int64_t* args) {
  const TensorData& scores = tensor_of(args[0]);
  const bool is_small = scores.shapes[1] == 16;
  float scale;
  std::memcpy(&scale, &args[4], sizeof scale);
  with_sizes(scores.shapes[0], scores.shapes[1], is_small ? 16 : 128,
             [&](auto sizes) { weigh<decltype(sizes)>(args, scale, static_cast<int>(args[5])); });
}
