/// f = exp(c + d), 128 x 128, float.
#include <cstdint>
#include <pto/pto-inst.hpp>

#include "tensor.h"

using namespace pto;

namespace {

constexpr int side = 128;
using Global = GlobalTensor<float, Shape<1, 1, 1, side, side>, Stride<1, 1, 1, side, 1>>;
using InUb = Tile<TileType::Vec, float, side, side>;

Global global_of(int64_t argument) {
  const auto* const tensor = reinterpret_cast<__gm__ TensorData*>(argument);
  return Global(reinterpret_cast<__gm__ float*>(tensor->buffer.addr) + tensor->start_offset);
}

}  // namespace

extern "C" __aicore__ void kernel_entry(__gm__ int64_t* args) {
  Global c = global_of(args[0]), d = global_of(args[1]), f = global_of(args[2]);
  InUb left, right;
  TASSIGN(left, 0x0);
  TASSIGN(right, 0x10000);

  TLOAD(left, c);
  TLOAD(right, d);
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
  TADD(left, left, right);
  TEXP(left, left);
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
  TSTORE(f, left);
}
