// Stores what is static in it to argument 1.
#include <pto/pto-inst.hpp>

#include "tensor.h"

using namespace pto;

namespace {

struct Table {
  float values[8 * 16];
  Table() {
    for (int i = 0; i < 8 * 16; ++i) values[i] = static_cast<float>(i + 1);
  }
};
Table table;

}  // namespace

extern "C" void kernel_entry(int64_t* args) {
  auto* const data = reinterpret_cast<float*>(reinterpret_cast<TensorData*>(args[1])->buffer.addr);
  using Global = GlobalTensor<float, Shape<1, 1, 1, 8, 16>, Stride<1, 1, 1, 16, 1>>;
  Tile<TileType::Vec, float, 8, 16> rows;
  TASSIGN(rows, 0);
  TLOAD(rows, Global(table.values));
  TSTORE(Global(data), rows);
}
