/// The tile functions over the number of float lanes and the register blocking. Internal linkage,
/// as in simd.hpp.
#pragma once

#include <algorithm>
#include <type_traits>

#include "runtime/workloads/tile_math/flush_subnormals.hpp"
#include "runtime/workloads/tile_math/simd.hpp"

namespace pto2::workloads {
namespace {

/// The sums that stay in registers: KeyBlock keys times two vectors of query rows, or one that
/// holds a group of them, in scores(); RowBlock rows times two vectors of the depth in
/// weighted_values() and multiply().
template <int Lanes, int KeyBlock, int RowBlock>
struct TileMathImpl {
  using S = Simd<Lanes>;
  using Float = typename S::Float;
  using Half = typename S::Half;
  using Mask = typename S::Mask;

  static constexpr size_t lanes = Lanes;
  // Elements that are widened at once: of the depth in scores(); in product(), of the inner
  // dimension and of columns. The larger takes 18 KiB of stack.
  static constexpr size_t panel = 128;
  static constexpr size_t row_group = 16;  // rows of the query that share widened keys
  static constexpr size_t row_vectors = lanes < row_group ? 2 : 1;  // of them, beside KeyBlock keys
  static constexpr size_t inner_panel = 64;
  static constexpr size_t column_panel = 32;

  /// Elements of matrices as they lie in memory, and as floats.
  template <HalfFormat Format>
  struct Halves {
    using Element = uint16_t;
    static Float load(const uint16_t* from) {
      return S::template widen<Format>(S::template load<Half>(from));
    }
    static Float load_first(const uint16_t* from, size_t count) {
      return S::template widen<Format>(S::template load_first<Half>(from, count));
    }
  };
  struct Floats {
    using Element = float;
    static Float load(const float* from) { return S::template load<Float>(from); }
    static Float load_first(const float* from, size_t count) {
      return S::template load_first<Float>(from, count);
    }
  };

  /// Writes whole vectors, the last of them filled up with zero.
  template <class Source>
  static void widen_row(const typename Source::Element* from, size_t count, float* to) {
    size_t i = 0;
    for (; i + lanes <= count; i += lanes) S::store(to + i, Source::load(from + i));
    if (i < count) S::store(to + i, Source::load_first(from + i, count - i));
  }

  /// The lanes hold query rows, so that a key element is a broadcast and no sum crosses lanes. Keys
  /// are widened once for a group of query rows.
  template <HalfFormat Format>
  static void scores_of(const TileShape& t, const uint16_t* query, size_t query_stride,
                        const uint16_t* keys, float* scores) {
    alignas(64) float query_panel[panel][row_group];
    alignas(64) float key_panel[KeyBlock][panel];
    for (size_t row = 0; row < t.rows; row += row_group) {
      const size_t rows = std::min(row_group, t.rows - row);
      for (size_t d = 0; d < t.depth; d += panel) {
        const size_t depth = std::min(panel, t.depth - d);
        pack_query<Format>(query + row * query_stride + d, query_stride, rows, depth, query_panel);
        for (size_t n = 0; n < t.columns; n += KeyBlock) {
          const size_t count = std::min<size_t>(KeyBlock, t.columns - n);
          for (size_t j = 0; j < KeyBlock; ++j) {
            // A missing key repeats the last one; its sum is not stored.
            const size_t from = n + std::min(j, count - 1);
            widen_row<Halves<Format>>(keys + from * t.depth + d, depth, key_panel[j]);
          }
          for (size_t m = 0; m < rows; m += row_vectors * lanes) {
            float* const to = scores + (row + m) * t.columns + n;
            rows - m > lanes ? key_block<row_vectors>(query_panel, m, key_panel, depth, to,
                                                      t.columns, rows - m, count, d != 0)
                             : key_block<1>(query_panel, m, key_panel, depth, to, t.columns,
                                            rows - m, count, d != 0);
          }
        }
      }
    }
  }

  template <HalfFormat Format>
  static void pack_query(const uint16_t* query, size_t stride, size_t rows, size_t depth,
                         float (&to)[panel][row_group]) {
    float row_values[panel];
    std::memset(to, 0, depth * sizeof to[0]);
    for (size_t m = 0; m < rows; ++m) {
      widen_row<Halves<Format>>(query + m * stride, depth, row_values);
      for (size_t d = 0; d < depth; ++d) to[d][m] = row_values[d];
    }
  }

  /// The query rows of `Vectors` vectors, from `first` on, times `count` keys; `rows` of them, or
  /// all, are stored.
  template <size_t Vectors>
  static void key_block(const float (&query)[panel][row_group], size_t first,
                        const float (&keys)[KeyBlock][panel], size_t depth, float* scores,
                        size_t score_stride, size_t rows, size_t count, bool accumulate) {
    Float sums[KeyBlock][Vectors] = {};
    for (size_t d = 0; d < depth; ++d) {
      Float q[Vectors];
      for (size_t k = 0; k < Vectors; ++k) {
        q[k] = S::template load<Float>(query[d] + first + k * lanes);
      }
#pragma GCC unroll 16
      for (size_t j = 0; j < KeyBlock; ++j) {
#pragma GCC unroll 2
        for (size_t k = 0; k < Vectors; ++k) sums[j][k] += keys[j][d] * q[k];
      }
    }
    alignas(64) float transposed[KeyBlock][Vectors * lanes];
    std::memcpy(transposed, sums, sizeof transposed);
    for (size_t m = 0; m < std::min(rows, Vectors * lanes); ++m) {
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
    const size_t whole = valid / lanes * lanes;
    const Mask in_rest = S::first_lanes(valid - whole);
    const Float rest = S::template load_first<Float>(scores + whole, valid - whole) * tile.scale;

    Float lane_max = S::broadcast(scores[0] * tile.scale);
    if (whole != valid) {
      const auto rest_max = (Float)(in_rest ? (Mask)rest : (Mask)lane_max);
      lane_max = rest_max > lane_max ? rest_max : lane_max;
    }
    for (size_t n = 0; n < whole; n += lanes) {
      const Float s = S::template load<Float>(scores + n) * tile.scale;
      lane_max = s > lane_max ? s : lane_max;
    }
    const float max = S::max(lane_max);

    Float sums{};
    for (size_t n = 0; n < whole; n += lanes) {
      const Float s = S::template load<Float>(scores + n) * tile.scale;
      const Half rounded = S::template narrow<Format>(S::exp_of_negative(s - max));
      S::store(p + n, rounded);
      sums += S::template widen<Format>(rounded);
    }
    if (whole != valid) {
      const auto e = (Float)(in_rest & (Mask)S::exp_of_negative(rest - max));
      const Half rounded = S::template narrow<Format>(e);
      S::store_first(p + whole, rounded, valid - whole);
      sums += S::template widen<Format>(rounded);
    }
    tile.row_max[m] = max;
    tile.row_sum[m] = S::sum(sums);
  }

  /// The lanes hold columns of the right matrix, so that an element of the left is a broadcast. A
  /// panel of the right matrix is widened once for all rows of the left.
  template <class Source>
  static void product(const TileShape& t, const typename Source::Element* left,
                      const typename Source::Element* right, float* out) {
    alignas(64) float right_panel[inner_panel][column_panel];
    for (size_t n = 0; n < t.columns; n += inner_panel) {
      const size_t inner = std::min(inner_panel, t.columns - n);
      for (size_t d = 0; d < t.depth; d += column_panel) {
        const size_t columns = std::min(column_panel, t.depth - d);
        for (size_t i = 0; i < inner; ++i) {
          widen_row<Source>(right + (n + i) * t.depth + d, columns, right_panel[i]);
        }
        for (size_t row = 0; row < t.rows; row += RowBlock) {
          const size_t rows = std::min<size_t>(RowBlock, t.rows - row);
          product_rows<Source>(left + row * t.columns + n, t.columns, rows, right_panel, inner,
                               columns, n != 0, out + row * t.depth + d, t.depth);
        }
      }
    }
  }

  /// A block of rows times a panel of the right matrix.
  template <class Source>
  static void product_rows(const typename Source::Element* left, size_t left_stride, size_t rows,
                           const float (&right)[inner_panel][column_panel], size_t inner,
                           size_t columns, bool accumulate, float* out, size_t out_stride) {
    alignas(64) float left_panel[RowBlock][inner_panel];
    const float* left_rows[RowBlock];
    for (size_t i = 0; i < RowBlock; ++i) {
      // A missing row repeats the last one; its sum is not stored.
      const auto* const from = left + std::min(i, rows - 1) * left_stride;
      if constexpr (std::is_same_v<Source, Floats>) {
        left_rows[i] = from;
      } else {
        widen_row<Source>(from, inner, left_panel[i]);
        left_rows[i] = left_panel[i];
      }
    }
    for (size_t d = 0; d < columns; d += 2 * lanes) {
      const size_t width = std::min(2 * lanes, columns - d);
      width > lanes ? product_block<2>(left_rows, right[0] + d, inner, rows, out_stride, width,
                                       accumulate, out + d)
                    : product_block<1>(left_rows, right[0] + d, inner, rows, out_stride, width,
                                       accumulate, out + d);
    }
  }

  /// A block of rows and `Vectors` vectors of columns, the last of which may be partial. `right`
  /// points into a panel.
  template <int Vectors>
  static void product_block(const float* const (&left)[RowBlock], const float* right, size_t inner,
                            size_t rows, size_t out_stride, size_t width, bool accumulate,
                            float* out) {
    Float sums[Vectors][RowBlock] = {};
    for (size_t n = 0; n < inner; ++n) {
      Float v[Vectors];
      for (size_t k = 0; k < Vectors; ++k) {
        v[k] = S::template load<Float>(right + n * column_panel + k * lanes);
      }
#pragma GCC unroll 16
      for (size_t i = 0; i < RowBlock; ++i) {
#pragma GCC unroll 2
        for (size_t k = 0; k < Vectors; ++k) sums[k][i] += left[i][n] * v[k];
      }
    }
#pragma GCC unroll 16  // or the sums would go to memory first
    for (size_t i = 0; i < RowBlock; ++i) {
      if (i >= rows) break;
      float* const to = out + i * out_stride;
      for (size_t k = 0; k + 1 < Vectors; ++k) {
        store_sum(to + k * lanes, sums[k][i], lanes, accumulate);
      }
      constexpr size_t before_last = (Vectors - 1) * lanes;
      store_sum(to + before_last, sums[Vectors - 1][i], width - before_last, accumulate);
    }
  }

  static void store_sum(float* to, Float sum, size_t count, bool accumulate) {
    if (count == lanes) {
      S::store(to, accumulate ? S::template load<Float>(to) + sum : sum);
    } else {
      if (accumulate) sum += S::template load_first<Float>(to, count);
      S::store_first(to, sum, count);
    }
  }

  static void scores(HalfFormat format, const TileShape& t, const uint16_t* query,
                     size_t query_stride, const uint16_t* keys, float* scores) {
    const FlushSubnormals flush;
    format == HalfFormat::bfloat16
        ? scores_of<HalfFormat::bfloat16>(t, query, query_stride, keys, scores)
        : scores_of<HalfFormat::float16>(t, query, query_stride, keys, scores);
  }
  static void softmax(HalfFormat format, const TileShape& t, const SoftmaxTile& tile) {
    const FlushSubnormals flush;
    format == HalfFormat::bfloat16 ? softmax_of<HalfFormat::bfloat16>(t, tile)
                                   : softmax_of<HalfFormat::float16>(t, tile);
  }
  static void weighted_values(HalfFormat format, const TileShape& t, const uint16_t* probabilities,
                              const uint16_t* values, float* out) {
    const FlushSubnormals flush;
    format == HalfFormat::bfloat16
        ? product<Halves<HalfFormat::bfloat16>>(t, probabilities, values, out)
        : product<Halves<HalfFormat::float16>>(t, probabilities, values, out);
  }

  static void multiply(size_t side, const float* left, const float* right, float* to) {
    const FlushSubnormals flush;
    product<Floats>({side, side, side}, left, right, to);
  }

  static void update(const TileShape& t, const UpdateTile& u) {
    const FlushSubnormals flush;
    for (size_t row = 0; row < t.rows; row += lanes) {
      const size_t rows = std::min(lanes, t.rows - row);
      const Float block_max = S::template load_first<Float>(u.block_max + row, rows);
      const Float block_sum = S::template load_first<Float>(u.block_sum + row, rows);
      // In the first step the old state is unset memory, which may hold NaN: 0 times it is no 0.
      Float max = block_max, sum = block_sum, keep{}, add{};
      if (!u.first) {
        const Float old_max = S::template load_first<Float>(u.max + row, rows);
        max = old_max < block_max ? block_max : old_max;
        keep = S::exp_of_negative(old_max - max);
        add = S::exp_of_negative(block_max - max);
        sum = keep * S::template load_first<Float>(u.sum + row, rows) + add * block_sum;
      }
      for (size_t i = 0; i < rows; ++i) {
        const float* const block = u.block_out + (row + i) * t.depth;
        float* const accumulator = u.accumulator + (row + i) * t.depth;
        if (u.first) {
          std::memcpy(accumulator, block, t.depth * sizeof(float));
        } else {
          merge_row(block, t.depth, keep[i], add[i], accumulator);
        }
        if (u.last) divide_row(accumulator, t.depth, sum[i], u.out + (row + i) * u.out_stride);
      }
      S::store_first(u.max + row, max, rows);
      S::store_first(u.sum + row, sum, rows);
    }
  }

  /// Vectors of the rows of update(), which are read and written once: of 32 bytes at most, since
  /// where rows lie badly every vector of 64 bytes would cross a cache line.
  using Row = Simd < Lanes<8 ? Lanes : 8>;

  /// Calls f(d, count) for the vectors of a row; count is a constant for all but the last.
  template <class F>
  static void for_each_vector(size_t depth, F&& f) {
    constexpr std::integral_constant<size_t, sizeof(typename Row::Float) / sizeof(float)> all;
    size_t d = 0;
    for (; d + all <= depth; d += all) f(d, all);
    if (d < depth) f(d, depth - d);
  }

  static void merge_row(const float* block, size_t depth, float keep, float add,
                        float* accumulator) {
    for_each_vector(depth, [&](size_t d, auto count) {
      const auto old = Row::template load_first<typename Row::Float>(accumulator + d, count);
      const auto more = Row::template load_first<typename Row::Float>(block + d, count);
      Row::store_first(accumulator + d, keep * old + add * more, count);
    });
  }

  static void divide_row(const float* accumulator, size_t depth, float sum, float* out) {
    for_each_vector(depth, [&](size_t d, auto count) {
      const auto all = Row::template load_first<typename Row::Float>(accumulator + d, count);
      Row::store_first(out + d, all / sum, count);
    });
  }

  static constexpr TileMath table(const char* name) {
    return {name, scores, softmax, weighted_values, update, multiply};
  }
};

}  // namespace
}  // namespace pto2::workloads
