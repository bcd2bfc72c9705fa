// An instruction that is not there, and an intrinsic: the compiler names both.
#include <pto/pto-inst.hpp>

#include "intrinsic.h"

extern "C" void kernel_entry(int64_t* args) {
  pto::Tile<pto::TileType::Vec, float, 16, 16> tile;
  pto::TSEL(tile, tile, tile, tile);
  args[0] = get_sub_block_id(args);
}
