/// The arithmetic of paged attention on one tile, for each vector width of the host.
#pragma once

#include <cstddef>
#include <cstdint>

namespace pto2::workloads {

/// 16-bit storage of queries, keys, values and probabilities.
enum class HalfFormat { float16, bfloat16 };

/// Rows (query heads), columns (positions of the block) and depth (head dimension) of a tile.
struct TileShape {
  size_t rows;
  size_t columns;
  size_t depth;
};

/// Scores of one tile and the state that follows from them. Row i of the scores starts at
/// i * score_stride.
struct SoftmaxTile {
  const float* scores;
  size_t score_stride;      ///< elements
  size_t valid_columns;     ///< columns past it count as minus infinity
  float scale;              ///< factor of the scores
  uint16_t* probabilities;  ///< out: rows x columns
  float* row_max;           ///< out: rows
  float* row_sum;           ///< out: rows
};

/// One step of the online softmax. Row i of `out` starts at i * out_stride.
struct UpdateTile {
  const float* block_max;  ///< rows
  const float* block_sum;  ///< rows
  const float* block_out;  ///< rows x depth
  float* max;              ///< rows, in and out
  float* sum;              ///< rows, in and out
  float* accumulator;      ///< rows x depth, in and out
  float* out;              ///< written in the last step only
  size_t out_stride;       ///< elements
  bool first;              ///< the state is set, not updated
  bool last;               ///< out = accumulator / sum
};

/// The functions for one instruction set. They need no more than 20 KiB of stack, since a core may
/// be a fiber, allocate nothing, read nothing but what is named as input and write nothing but what
/// is named as output. No pointer need be aligned beyond its type. Subnormal floats may count as
/// zero.
struct TileMath {
  const char* name;
  /// scores[rows x columns] = query[rows x depth] times the transpose of keys[columns x depth];
  /// row i of query starts at i * query_stride.
  void (*scores)(HalfFormat, const TileShape&, const uint16_t* query, size_t query_stride,
                 const uint16_t* keys, float* scores);
  /// m = row maximum of scale * scores, p = exp(scale * scores - m) rounded to 16 bits, l = row sum
  /// of the rounded p. Without a valid column: m = -1e30, l = 0, p = 0.
  void (*softmax)(HalfFormat, const TileShape&, const SoftmaxTile&);
  /// out[rows x depth] = probabilities[rows x columns] times values[columns x depth].
  void (*weighted_values)(HalfFormat, const TileShape&, const uint16_t* probabilities,
                          const uint16_t* values, float* out);
  /// Merges a block into the running maximum, sum and output; Milakov and Gimelshein, "Online
  /// normalizer calculation for softmax" (2018), section 3.
  void (*update)(const TileShape&, const UpdateTile&);
  /// product = left times right: squares of side x side floats.
  void (*multiply)(size_t side, const float* left, const float* right, float* product);
};

extern const TileMath tile_math_baseline;    ///< what every CPU of the architecture can run
extern const TileMath tile_math_avx2;        ///< needs AVX2, FMA and F16C
extern const TileMath tile_math_avx512;      ///< needs AVX-512 F, BW, DQ, VL
extern const TileMath tile_math_avx512bf16;  ///< needs AVX-512 BF16 as well

/// True when this CPU can run `math`.
bool is_supported(const TileMath& math);

/// The widest one that this CPU can run.
const TileMath& tile_math();

}  // namespace pto2::workloads
