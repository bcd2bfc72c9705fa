// An instruction that is not there, an intrinsic, and one that has no integers: the compiler says
// so of each.
#include <pto/pto-inst.hpp>

#include "intrinsic.h"

extern "C" void kernel_entry(int64_t* args) {
  pto::Tile<pto::TileType::Vec, float, 16, 16> tile;
  pto::TSEL(tile, tile, tile, tile);
  pto::Tile<pto::TileType::Vec, int32_t, 16, 16> integers;
  pto::TCOLEXPANDEXPDIF(integers, integers, integers);
  args[0] = get_sub_block_id(args);
}
