/// z = x + y, 64 x 128, float.
#include <cstdint>
#include <pto/pto-inst.hpp>

#include "tensor.h"

using namespace pto;

namespace {

constexpr int rows = 64, cols = 128;
using Global = GlobalTensor<float, Shape<1, 1, 1, rows, cols>, Stride<1, 1, 1, cols, 1>>;
using InUb = Tile<TileType::Vec, float, rows, cols>;

Global global_of(int64_t argument) {
  const auto* const tensor = reinterpret_cast<__gm__ TensorData*>(argument);
  return Global(reinterpret_cast<__gm__ float*>(tensor->buffer.addr) + tensor->start_offset);
}

}  // namespace

extern "C" __aicore__ void kernel_entry(__gm__ int64_t* args) {
  Global x = global_of(args[0]), y = global_of(args[1]), z = global_of(args[2]);
  InUb left, right;
  TASSIGN(left, 0x0);
  TASSIGN(right, 0x8000);

  TLOAD(left, x);
  TLOAD(right, y);
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
  TADD(left, left, right);
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
  TSTORE(z, left);
}
