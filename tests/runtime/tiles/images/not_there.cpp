// Instructions that are not there, one of them between chips, one that has no integers, one that
// gives a tile of L1 another shape, and views of parts of base tiles: the compiler says so of each.
#include <pto/pto-inst.hpp>

extern "C" void kernel_entry(int64_t*) {
  pto::Tile<pto::TileType::Vec, float, 16, 16> tile;
  pto::TSEL(tile, tile, tile, tile);
  pto::TInterleave(tile, tile, tile, tile);
  pto::TDeInterleave(tile, tile, tile);
  pto::TPACK(tile, tile);
  pto::Tile<pto::TileType::Vec, int32_t, 16, 16> integers;
  pto::TCOLEXPANDEXPDIF(integers, integers, integers);
  pto::comm::TREDUCE(tile, tile);
  constexpr auto outer = pto::BLayout::ColMajor;
  constexpr auto inner = pto::SLayout::RowMajor;
  pto::Tile<pto::TileType::Mat, half, 32, 64, outer, 32, 64, inner> flat;
  pto::Tile<pto::TileType::Mat, half, 64, 32, outer, 64, 32, inner> high;
  pto::TRESHAPE(high, flat);
  pto::TileShape2D<half, 40, 64, pto::Layout::NZ> part_of_rows;
  pto::TileShape2D<half, 64, 40, pto::Layout::NZ> part_of_cols;
}
