#include <algorithm>

#include "bench/kernels/section.hpp"
#include "runtime/workloads/attention/attention_spec.hpp"
#include "runtime/workloads/attention/problem.hpp"

namespace pto2::bench {

using namespace workloads;

std::vector<const TileMath*> supported_maths() {
  std::vector<const TileMath*> maths;
  for (const TileMath* math :
       {&tile_math_avx512bf16, &tile_math_avx512, &tile_math_avx2, &tile_math_baseline}) {
    if (is_supported(*math)) maths.push_back(math);
  }
  return maths;
}

std::vector<AttentionTile> attention_tiles() {
  std::vector<AttentionTile> tiles;
  for (const AttentionForm form : {AttentionForm::batch, AttentionForm::sequence}) {
    for (const AttentionSpec& spec : attention_specs(form)) {
      const AttentionTile tile{
          {std::min(spec.num_heads, max_query_tile), spec.block_size, spec.head_dim}, spec.format};
      const auto same = [&](const AttentionTile& other) { return name_of(other) == name_of(tile); };
      if (std::ranges::none_of(tiles, same)) tiles.push_back(tile);
    }
  }
  return tiles;
}

std::string name_of(const AttentionTile& tile) {
  const TileShape& t = tile.shape;
  return std::to_string(t.rows) + "x" + std::to_string(t.columns) + "x" + std::to_string(t.depth) +
         (tile.format == HalfFormat::bfloat16 ? " bf16" : " fp16");
}

}  // namespace pto2::bench
