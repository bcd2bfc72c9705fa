/// sum = x + scalar, 128 x 128, float.
#include <cstdint>
#include <cstring>
#include <pto/pto-inst.hpp>

#include "tensor.h"

using namespace pto;

namespace {

constexpr int side = 128;
using Global = GlobalTensor<float, Shape<1, 1, 1, side, side>, Stride<1, 1, 1, side, 1>>;

Global global_of(int64_t argument) {
  const auto* const tensor = reinterpret_cast<__gm__ TensorData*>(argument);
  return Global(reinterpret_cast<__gm__ float*>(tensor->buffer.addr) + tensor->start_offset);
}

}  // namespace

extern "C" __aicore__ void kernel_entry(__gm__ int64_t* args) {
  Global x = global_of(args[0]), sum = global_of(args[1]);
  float scalar;
  std::memcpy(&scalar, &args[2], sizeof scalar);
  Tile<TileType::Vec, float, side, side> tile;
  TASSIGN(tile, 0x0);

  TLOAD(tile, x);
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
  TADDS(tile, tile, scalar);
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
  TSTORE(sum, tile);
}
