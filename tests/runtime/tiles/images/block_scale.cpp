// A part of a block task: its rows of argument 0, of which each part has 8, times the scalar of
// argument 1.
#include <pto/pto-inst.hpp>

#include "intrinsic.h"
#include "tensor.h"

using namespace pto;

extern "C" void kernel_entry(int64_t* args) {
  auto* const data = reinterpret_cast<float*>(reinterpret_cast<TensorData*>(args[0])->buffer.addr);
  const int32_t part = get_block_idx(args);
  if (part >= get_block_num(args)) return;
  using Rows = Tile<TileType::Vec, float, 8, 16>;
  GlobalTensor<float, Shape<1, 1, 1, 8, 16>, Stride<1, 1, 1, 16, 1>> global(data + part * 8 * 16);
  Rows rows;
  TASSIGN(rows, 0);
  TLOAD(rows, global);
  TMULS(rows, rows, from_u64<float>(args[1]));
  TSTORE(global, rows);
}
