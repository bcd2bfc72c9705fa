/// The tile functions over the number of float lanes and the register blocking. Internal linkage,
/// as in simd.hpp.
#pragma once

#include <algorithm>
#include <cmath>

#include "runtime/workloads/tile_math/simd.hpp"

namespace pto2::workloads {
namespace {

/// KeyBlock keys share a load of the query in scores(); RowBlock rows times two vectors of the
/// depth stay in registers in weighted_values().
template <int Lanes, int KeyBlock, int RowBlock>
struct TileMathImpl {
  using S = Simd<Lanes>;
  using Float = typename S::Float;
  using Half = typename S::Half;

  static constexpr size_t panel = 128;  // elements of the inner dimension that are widened at once
  static constexpr size_t lanes = Lanes;

  template <HalfFormat Format>
  static void widen_row(const uint16_t* from, size_t count, float* to) {
    size_t i = 0;
    for (; i + lanes <= count; i += lanes) {
      S::store(to + i, S::template widen<Format>(S::template load<Half>(from + i)));
    }
    if (i < count) {
      const Half rest = S::template load_first<Half>(from + i, count - i);
      S::store_first(to + i, S::template widen<Format>(rest), count - i);
    }
  }

  /// The lanes hold query rows, so that a key element is a broadcast and no sum crosses lanes.
  template <HalfFormat Format>
  static void scores_of(const TileShape& t, const uint16_t* query, size_t query_stride,
                        const uint16_t* keys, float* scores) {
    alignas(64) float query_panel[panel][lanes];
    for (size_t row = 0; row < t.rows; row += lanes) {
      const size_t rows = std::min(lanes, t.rows - row);
      for (size_t d = 0; d < t.depth; d += panel) {
        const size_t depth = std::min(panel, t.depth - d);
        pack_query<Format>(query + row * query_stride + d, query_stride, rows, depth, query_panel);
        for (size_t n = 0; n < t.columns; n += KeyBlock) {
          const size_t count = std::min<size_t>(KeyBlock, t.columns - n);
          key_block<Format>(query_panel, depth, keys + n * t.depth + d, t.depth, count,
                            scores + row * t.columns + n, t.columns, rows, d != 0);
        }
      }
    }
  }

  template <HalfFormat Format>
  static void pack_query(const uint16_t* query, size_t stride, size_t rows, size_t depth,
                         float (&to)[panel][lanes]) {
    float row_values[panel];
    std::memset(to, 0, depth * sizeof to[0]);
    for (size_t m = 0; m < rows; ++m) {
      widen_row<Format>(query + m * stride, depth, row_values);
      for (size_t d = 0; d < depth; ++d) to[d][m] = row_values[d];
    }
  }

  template <HalfFormat Format>
  static void key_block(const float (&query)[panel][lanes], size_t depth, const uint16_t* keys,
                        size_t key_stride, size_t count, float* scores, size_t score_stride,
                        size_t rows, bool accumulate) {
    alignas(64) float key_values[KeyBlock][panel];
    for (size_t j = 0; j < KeyBlock; ++j) {
      // A missing key repeats the last one; its sum is not stored.
      widen_row<Format>(keys + std::min(j, count - 1) * key_stride, depth, key_values[j]);
    }
    Float sums[KeyBlock] = {};
    for (size_t d = 0; d < depth; ++d) {
      const Float q = S::template load<Float>(query[d]);
#pragma GCC unroll 16
      for (size_t j = 0; j < KeyBlock; ++j) sums[j] += key_values[j][d] * q;
    }
    alignas(64) float transposed[KeyBlock][lanes];
    for (size_t j = 0; j < KeyBlock; ++j) S::store(transposed[j], sums[j]);
    for (size_t m = 0; m < rows; ++m) {
      float* row = scores + m * score_stride;
      for (size_t j = 0; j < count; ++j) {
        row[j] = accumulate ? row[j] + transposed[j][m] : transposed[j][m];
      }
    }
  }

  template <HalfFormat Format>
  static void softmax_of(const TileShape& t, const SoftmaxTile& tile) {
    for (size_t m = 0; m < t.rows; ++m) {
      uint16_t* p = tile.probabilities + m * t.columns;
      if (tile.valid_columns == 0) {
        tile.row_max[m] = -1e30f;
        tile.row_sum[m] = 0;
      } else {
        softmax_row<Format>(tile, tile.scores + m * tile.score_stride, p, m);
      }
      std::memset(p + tile.valid_columns, 0, (t.columns - tile.valid_columns) * sizeof *p);
    }
  }

  template <HalfFormat Format>
  static void softmax_row(const SoftmaxTile& tile, const float* scores, uint16_t* p, size_t m) {
    const size_t valid = tile.valid_columns;
    float max = scores[0] * tile.scale;
    size_t n = 0;
    if (valid >= lanes) {
      Float lane_max = S::broadcast(max);
      for (; n + lanes <= valid; n += lanes) {
        const Float s = S::template load<Float>(scores + n) * tile.scale;
        lane_max = s > lane_max ? s : lane_max;
      }
      max = S::max(lane_max);
    }
    for (; n < valid; ++n) max = std::max(max, scores[n] * tile.scale);

    Float sums{};
    for (n = 0; n + lanes <= valid; n += lanes) {
      const Float s = S::template load<Float>(scores + n) * tile.scale;
      const Half rounded = S::template narrow<Format>(S::exp_of_negative(s - max));
      S::store(p + n, rounded);
      sums += S::template widen<Format>(rounded);
    }
    float sum = S::sum(sums);
    if (n < valid) {
      const Float s = S::template load_first<Float>(scores + n, valid - n) * tile.scale;
      const Half rounded = S::template narrow<Format>(S::exp_of_negative(s - max));
      S::store_first(p + n, rounded, valid - n);
      const Float wide = S::template widen<Format>(rounded);
      for (size_t i = 0; i < valid - n; ++i) sum += wide[i];
    }
    tile.row_max[m] = max;
    tile.row_sum[m] = sum;
  }

  /// The lanes hold the depth, so that a probability is a broadcast.
  template <HalfFormat Format>
  static void weighted_values_of(const TileShape& t, const uint16_t* probabilities,
                                 const uint16_t* values, float* out) {
    alignas(64) float weights[RowBlock][panel];
    for (size_t row = 0; row < t.rows; row += RowBlock) {
      const size_t rows = std::min<size_t>(RowBlock, t.rows - row);
      for (size_t n = 0; n < t.columns; n += panel) {
        const size_t columns = std::min(panel, t.columns - n);
        for (size_t i = 0; i < RowBlock; ++i) {
          // A missing row repeats the last one; its sum is not stored.
          const size_t from = row + std::min(i, rows - 1);
          widen_row<Format>(probabilities + from * t.columns + n, columns, weights[i]);
        }
        size_t d = 0;
        for (; d + 2 * lanes <= t.depth; d += 2 * lanes) {
          value_block<Format>(weights, columns, values + n * t.depth + d, t.depth,
                              out + row * t.depth + d, rows, n != 0);
        }
        for (; d < t.depth; d += lanes) {
          value_rest<Format>(weights, columns, values + n * t.depth + d, t.depth,
                             std::min(lanes, t.depth - d), out + row * t.depth + d, rows, n != 0);
        }
      }
    }
  }

  template <HalfFormat Format>
  static void value_block(const float (&weights)[RowBlock][panel], size_t columns,
                          const uint16_t* values, size_t depth, float* out, size_t rows,
                          bool accumulate) {
    Float low[RowBlock] = {};
    Float high[RowBlock] = {};
    for (size_t n = 0; n < columns; ++n) {
      const uint16_t* v = values + n * depth;
      const Float v_low = S::template widen<Format>(S::template load<Half>(v));
      const Float v_high = S::template widen<Format>(S::template load<Half>(v + lanes));
#pragma GCC unroll 16
      for (size_t i = 0; i < RowBlock; ++i) {
        low[i] += weights[i][n] * v_low;
        high[i] += weights[i][n] * v_high;
      }
    }
    for (size_t i = 0; i < rows; ++i) {
      float* to = out + i * depth;
      S::store(to, accumulate ? S::template load<Float>(to) + low[i] : low[i]);
      S::store(to + lanes, accumulate ? S::template load<Float>(to + lanes) + high[i] : high[i]);
    }
  }

  /// At most one vector of the depth.
  template <HalfFormat Format>
  static void value_rest(const float (&weights)[RowBlock][panel], size_t columns,
                         const uint16_t* values, size_t depth, size_t count, float* out,
                         size_t rows, bool accumulate) {
    Float sums[RowBlock] = {};
    for (size_t n = 0; n < columns; ++n) {
      const Half h = S::template load_first<Half>(values + n * depth, count);
      const Float v = S::template widen<Format>(h);
#pragma GCC unroll 16
      for (size_t i = 0; i < RowBlock; ++i) sums[i] += weights[i][n] * v;
    }
    for (size_t i = 0; i < rows; ++i) {
      float* to = out + i * depth;
      if (accumulate) sums[i] += S::template load_first<Float>(to, count);
      S::store_first(to, sums[i], count);
    }
  }

  static void scores(HalfFormat format, const TileShape& t, const uint16_t* query,
                     size_t query_stride, const uint16_t* keys, float* scores) {
    format == HalfFormat::bfloat16
        ? scores_of<HalfFormat::bfloat16>(t, query, query_stride, keys, scores)
        : scores_of<HalfFormat::float16>(t, query, query_stride, keys, scores);
  }
  static void softmax(HalfFormat format, const TileShape& t, const SoftmaxTile& tile) {
    format == HalfFormat::bfloat16 ? softmax_of<HalfFormat::bfloat16>(t, tile)
                                   : softmax_of<HalfFormat::float16>(t, tile);
  }
  static void weighted_values(HalfFormat format, const TileShape& t, const uint16_t* probabilities,
                              const uint16_t* values, float* out) {
    format == HalfFormat::bfloat16
        ? weighted_values_of<HalfFormat::bfloat16>(t, probabilities, values, out)
        : weighted_values_of<HalfFormat::float16>(t, probabilities, values, out);
  }

  static void update(const TileShape& t, const UpdateTile& u) {
    for (size_t m = 0; m < t.rows; ++m) {
      const float max = u.first ? u.block_max[m] : std::max(u.max[m], u.block_max[m]);
      const float keep = u.first ? 0.0f : std::exp(u.max[m] - max);
      const float add = u.first ? 1.0f : std::exp(u.block_max[m] - max);
      const float* block = u.block_out + m * t.depth;
      float* accumulator = u.accumulator + m * t.depth;
      // In the first step the old state is unset memory, which may hold NaN: 0 times it is no 0.
      const float sum = u.first ? u.block_sum[m] : keep * u.sum[m] + add * u.block_sum[m];
      if (u.first) {
        std::memcpy(accumulator, block, t.depth * sizeof(float));
      } else {
        for (size_t d = 0; d < t.depth; ++d) {
          accumulator[d] = keep * accumulator[d] + add * block[d];
        }
      }
      u.max[m] = max;
      u.sum[m] = sum;
      if (u.last) {
        for (size_t d = 0; d < t.depth; ++d) u.out[m * u.out_stride + d] = accumulator[d] / sum;
      }
    }
  }

  static constexpr TileMath table(const char* name) {
    return {name, scores, softmax, weighted_values, update};
  }
};

}  // namespace
}  // namespace pto2::workloads
