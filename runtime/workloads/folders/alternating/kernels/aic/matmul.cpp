/// c = a b, 128 x 128, float.
#include <cstdint>
#include <pto/pto-inst.hpp>

#include "tensor.h"

using namespace pto;

namespace {

constexpr int side = 128;
template <class T>
using Global = GlobalTensor<T, Shape<1, 1, 1, side, side>, Stride<1, 1, 1, side, 1>>;
using InL1 =
    Tile<TileType::Mat, float, side, side, BLayout::ColMajor, side, side, SLayout::RowMajor>;

}  // namespace

extern "C" __aicore__ void kernel_entry(__gm__ int64_t* args) {
  const auto* const a = reinterpret_cast<__gm__ TensorData*>(args[0]);
  const auto* const b = reinterpret_cast<__gm__ TensorData*>(args[1]);
  const auto* const c = reinterpret_cast<__gm__ TensorData*>(args[2]);
  Global<float> left(reinterpret_cast<__gm__ float*>(a->buffer.addr) + a->start_offset);
  Global<float> right(reinterpret_cast<__gm__ float*>(b->buffer.addr) + b->start_offset);
  Global<float> product(reinterpret_cast<__gm__ float*>(c->buffer.addr) + c->start_offset);

  InL1 left_l1, right_l1;
  TileLeft<float, side, side> left_l0;
  TileRight<float, side, side> right_l0;
  TileAcc<float, side, side> sum;
  TASSIGN(left_l1, 0x0);
  TASSIGN(right_l1, 0x10000);
  TASSIGN(left_l0, 0x0);
  TASSIGN(right_l0, 0x0);
  TASSIGN(sum, 0x0);

  TLOAD(left_l1, left);
  TLOAD(right_l1, right);
  set_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);
  wait_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);
  TMOV(left_l0, left_l1);
  TMOV(right_l0, right_l1);
  set_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
  wait_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
  TMATMUL(sum, left_l0, right_l0);
  set_flag(PIPE_M, PIPE_FIX, EVENT_ID0);
  wait_flag(PIPE_M, PIPE_FIX, EVENT_ID0);
  TSTORE(product, sum);
}
