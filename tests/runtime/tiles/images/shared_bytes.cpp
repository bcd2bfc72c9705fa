// Two tiles of different elements that are the same bytes: argument 0 becomes 1.5, which is doubled
// by the bits of its exponent.
#include <pto/pto-inst.hpp>

#include "tensor.h"

using namespace pto;

extern "C" void kernel_entry(int64_t* args) {
  auto* const data = reinterpret_cast<float*>(reinterpret_cast<TensorData*>(args[0])->buffer.addr);
  Tile<TileType::Vec, float, 1, 8, BLayout::RowMajor, 1, 4> value;
  Tile<TileType::Vec, int32_t, 1, 8, BLayout::RowMajor, 1, 4> bits;
  TASSIGN(value, 0);
  TRESHAPE(bits, value);
  TEXPANDS(value, 1.5F);
  TADDS(bits, bits, 1 << 23);
  TADDS(value, value, 0.0F);
  *data = value.GetValue(0);
}
