/// b = sqrt(log a), 128 x 128, half. In float, in halves of 64 rows.
#include <cstdint>
#include <pto/pto-inst.hpp>

#include "tensor.h"

using namespace pto;

namespace {

constexpr int rows = 64, cols = 128, parts = 2;
using Global = GlobalTensor<half, Shape<1, 1, 1, rows, cols>, Stride<1, 1, 1, cols, 1>>;

}  // namespace

extern "C" __aicore__ void kernel_entry(__gm__ int64_t* args) {
  const auto* const a = reinterpret_cast<__gm__ TensorData*>(args[0]);
  const auto* const b = reinterpret_cast<__gm__ TensorData*>(args[1]);
  auto* const from = reinterpret_cast<__gm__ half*>(a->buffer.addr) + a->start_offset;
  auto* const to = reinterpret_cast<__gm__ half*>(b->buffer.addr) + b->start_offset;

  Tile<TileType::Vec, half, rows, cols> narrow;
  Tile<TileType::Vec, float, rows, cols> wide;
  TASSIGN(narrow, 0x0);
  TASSIGN(wide, 0x4000);

  for (int part = 0; part < parts; ++part) {
    Global source(from + part * rows * cols), target(to + part * rows * cols);
    TLOAD(narrow, source);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    TCVT(wide, narrow, RoundMode::CAST_NONE);
    TLOG(wide, wide);
    TSQRT(wide, wide);
    TCVT(narrow, wide, RoundMode::CAST_RINT);
    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    TSTORE(target, narrow);
    // The next part is loaded to where this one is stored from.
    set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);
    wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);
  }
}
