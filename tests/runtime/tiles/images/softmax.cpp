// A kernel as users have them: the softmax of each row of argument 0, times the scalar of argument
// 1, into argument 2, rows of 64 of which the first shapes[1] count.
#include <pto/pto-inst.hpp>

#include "pipe_sync.h"
#include "tensor.h"

using namespace pto;

#ifndef __aicore__
#define __aicore__ [aicore]
#endif

template <int Rows, int Cols>
static __aicore__ void softmax(__gm__ TensorData* in, float scale, __gm__ TensorData* out) {
  using Global = GlobalTensor<float, Shape<1, 1, 1, Rows, Cols>, Stride<1, 1, 1, Cols, 1>>;
  Global source(reinterpret_cast<__gm__ float*>(in->buffer.addr) + in->start_offset);
  Global target(reinterpret_cast<__gm__ float*>(out->buffer.addr) + out->start_offset);

  using Full = Tile<TileType::Vec, float, Rows, Cols, BLayout::RowMajor, Rows, Cols,
                    SLayout::NoneBox, 512, PadValue::Min>;
  using Part = Tile<TileType::Vec, float, Rows, Cols, BLayout::RowMajor, Rows, -1>;
  using Column = Tile<TileType::Vec, float, Rows, 1, BLayout::ColMajor, Rows, 1>;
  Full scores, weights, tmp;
  Part part(in->shapes[1]);
  Column extreme, sum;
  TASSIGN(scores, 0);
  TASSIGN(part, 0);
  TASSIGN(weights, Full::bytes);
  TASSIGN(tmp, 2 * Full::bytes);
  TASSIGN(extreme, 3 * Full::bytes);
  TASSIGN(sum, 3 * Full::bytes + Column::bytes);

  TLOAD(scores, source);
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
  TFILLPAD_INPLACE(scores, part);
  TMULS(scores, scores, scale);
  TROWMAX(extreme, scores, tmp);
  pipe_barrier(PIPE_V);
  TROWEXPANDSUB(weights, scores, extreme);
  TEXP(weights, weights);
  TROWSUM(sum, weights, tmp);
  TROWEXPANDDIV(weights, weights, sum);
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID1);
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID1);
  TSTORE(target, weights);
  pipe_sync();
}

extern "C" __aicore__ __attribute__((always_inline)) void kernel_entry(__gm__ int64_t* args) {
  union {
    uint64_t bits;
    float value;
  } scale;
  scale.bits = static_cast<uint64_t>(args[1]);
  softmax<16, 64>(reinterpret_cast<__gm__ TensorData*>(args[0]), scale.value,
                  reinterpret_cast<__gm__ TensorData*>(args[2]));
}
