/// What kernels_bench measures, section by section.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "bench/kernels/turns.hpp"
#include "runtime/workloads/tile_math/tile_math.hpp"

namespace pto2::bench {

/// Contenders for the same work. The first is what the others are compared with.
struct Comparison {
  std::string work;
  std::vector<Timing> timings;
  /// Largest ratio that the second contender may have; 0: any.
  double most = 0;

  [[nodiscard]] bool is_broken() const { return most > 0 && timings.at(1).ratio > most; }
};

/// Of a product: a multiplication and an addition are two.
[[nodiscard]] inline double operations_of(const workloads::TileShape& t) {
  return 2.0 * static_cast<double>(t.rows * t.columns * t.depth);
}

/// A product of 16-bit matrices, beside OpenBLAS's product of the same in float; a unit is an
/// operation. The widest TileMath comes second.
[[nodiscard]] std::vector<Comparison> measure_products();

/// Softmax and update by element, beside plain loops, and beside a copy of as many bytes as they
/// read and write.
[[nodiscard]] std::vector<Comparison> measure_elements();

/// Each TileMath where the operands lie aligned and are ordinary, and, second, in a case in
/// question. A comparison per TileMath; those of one case follow each other.
[[nodiscard]] std::vector<Comparison> measure_cliffs();

/// The TileMaths that this CPU can run, the widest first.
[[nodiscard]] std::vector<const workloads::TileMath*> supported_maths();

/// Shapes and formats of the tiles in the cases of paged attention, each once.
struct AttentionTile {
  workloads::TileShape shape;
  workloads::HalfFormat format;
};
[[nodiscard]] std::vector<AttentionTile> attention_tiles();

/// As in "16x128x128 bf16".
[[nodiscard]] std::string name_of(const AttentionTile& tile);

}  // namespace pto2::bench
