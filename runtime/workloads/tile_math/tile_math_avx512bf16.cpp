/// bf16 tiles by the CPU's own dot product of pairs (VDPBF16PS), which takes the 16-bit values as
/// they lie in memory. It rounds each step to float and flushes subnormals; both are far below the
/// precision of bf16.
#include <immintrin.h>

#include <algorithm>
#include <cstring>

#include "runtime/workloads/tile_math/tile_math_impl.hpp"

namespace pto2::workloads {
namespace {

constexpr size_t lanes = 16;
constexpr size_t row_block = 8;
constexpr size_t panel = 256;  // depth that scores() takes at once: 16 KiB of stack, packed

__mmask32 first_halves(size_t count) {
  return static_cast<__mmask32>((uint64_t{1} << count) - 1);
}

__mmask16 first_lanes(size_t count) {
  return static_cast<__mmask16>((1u << count) - 1);
}

/// Two neighbouring elements in every lane.
__m512bh broadcast_pair(const uint16_t* from) {
  int32_t pair;
  std::memcpy(&pair, from, sizeof pair);
  return (__m512bh)_mm512_set1_epi32(pair);
}

/// A last element that has no neighbour, and zero, in every lane.
__m512bh broadcast_last(const uint16_t* from) {
  return (__m512bh)_mm512_set1_epi32(*from);
}

// Of each 128-bit lane of a and of b: the lower, or the upper, words, or pairs of words, in turn.
inline __m512 low_words(__m512 a, __m512 b) {
  return __builtin_shufflevector(a, b, 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29);
}
inline __m512 high_words(__m512 a, __m512 b) {
  return __builtin_shufflevector(a, b, 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31);
}
inline __m512 low_pairs(__m512 a, __m512 b) {
  return __builtin_shufflevector(a, b, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29);
}
inline __m512 high_pairs(__m512 a, __m512 b) {
  return __builtin_shufflevector(a, b, 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31);
}
// The even, or the odd, 128-bit lanes of a, then those of b.
inline __m512 even_lanes(__m512 a, __m512 b) {
  return __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27);
}
inline __m512 odd_lanes(__m512 a, __m512 b) {
  return __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31);
}

/// Transposes 16 x 16 words: pairs of words within 128-bit lanes, then pairs of pairs, then lanes.
inline void transpose(__m512 (&r)[lanes]) {
  __m512 t[lanes];
  for (size_t i = 0; i < lanes; i += 2) {
    t[i] = low_words(r[i], r[i + 1]);
    t[i + 1] = high_words(r[i], r[i + 1]);
  }
  __m512 u[lanes];
  for (size_t i = 0; i < lanes; i += 4) {
    u[i] = low_pairs(t[i], t[i + 2]);
    u[i + 1] = high_pairs(t[i], t[i + 2]);
    u[i + 2] = low_pairs(t[i + 1], t[i + 3]);
    u[i + 3] = high_pairs(t[i + 1], t[i + 3]);
  }
  for (size_t c = 0; c < 4; ++c) {
    const __m512 even_low = even_lanes(u[c], u[4 + c]);
    const __m512 odd_low = odd_lanes(u[c], u[4 + c]);
    const __m512 even_high = even_lanes(u[8 + c], u[12 + c]);
    const __m512 odd_high = odd_lanes(u[8 + c], u[12 + c]);
    r[c] = even_lanes(even_low, even_high);
    r[4 + c] = even_lanes(odd_low, odd_high);
    r[8 + c] = odd_lanes(even_low, even_high);
    r[12 + c] = odd_lanes(odd_low, odd_high);
  }
}

/// to[i] = elements 2i and 2i + 1 of each row, a row per lane; missing rows and elements are zero.
void pack_query(const uint16_t* query, size_t stride, size_t rows, size_t depth, __m512* to) {
  for (size_t d = 0; d < depth; d += 2 * lanes) {
    const __mmask32 elements = first_halves(std::min(2 * lanes, depth - d));
    __m512 block[lanes];
    for (size_t m = 0; m < lanes; ++m) {
      block[m] = m < rows ? (__m512)_mm512_maskz_loadu_epi16(elements, query + m * stride + d)
                          : _mm512_setzero_ps();
    }
    transpose(block);
    for (size_t i = 0; i < lanes; ++i) to[d / 2 + i] = block[i];
  }
}

/// Sixteen keys, a panel apart: those of memory may be so far apart that they evict each other from
/// the cache. Missing keys and elements are zero, up to a multiple of 32 of the depth.
void pack_keys(const uint16_t* keys, size_t stride, size_t count, size_t depth, uint16_t* to) {
  for (size_t d = 0; d < depth; d += 2 * lanes) {
    const __mmask32 elements = first_halves(std::min(2 * lanes, depth - d));
    for (size_t j = 0; j < lanes; ++j) {
      _mm512_storeu_si512(to + j * panel + d, _mm512_maskz_loadu_epi16(j < count ? elements : 0,
                                                                       keys + j * stride + d));
    }
  }
}

/// sums[j] = query rows, a row per lane, times key j, for sixteen keys that are Stride apart. The
/// sixteen after them begin at `next`.
template <size_t Stride>
inline void key_block(const __m512* query, const uint16_t* keys, size_t pairs, const uint16_t* next,
                      __m512 (&sums)[lanes]) {
  for (size_t i = 0; i < pairs; ++i) {
    _mm_prefetch(next + 2 * lanes * i, _MM_HINT_T0);  // keys are read once, from memory
#pragma GCC unroll 16
    for (size_t j = 0; j < lanes; ++j) {
      const __m512bh pair = broadcast_pair(keys + j * Stride + 2 * i);
      sums[j] = _mm512_dpbf16_ps(sums[j], (__m512bh)query[i], pair);
    }
  }
}

/// Sixteen rows of the query or fewer, and a panel of the depth. `query`, `keys` and `scores` point
/// to the panel's first element and to the first row's scores.
void score_panel(const TileShape& t, const uint16_t* query, size_t query_stride, size_t rows,
                 const uint16_t* keys, size_t depth, bool accumulate, float* scores) {
  constexpr size_t common_depth = 128;  // that of production: keys are used where they lie
  alignas(64) __m512 packed_query[panel / 2];
  alignas(64) uint16_t packed_keys[lanes * panel];
  pack_query(query, query_stride, rows, depth, packed_query);
  for (size_t n = 0; n < t.columns; n += lanes) {
    const size_t count = std::min(lanes, t.columns - n);
    const uint16_t* const block = keys + n * t.depth;
    const uint16_t* const next = block + lanes * t.depth;
    __m512 sums[lanes] = {};
    if (count == lanes && t.depth == common_depth) {
      key_block<common_depth>(packed_query, block, common_depth / 2, next, sums);
    } else {
      pack_keys(block, t.depth, count, depth, packed_keys);
      key_block<panel>(packed_query, packed_keys, (depth + 1) / 2, next, sums);
    }
    transpose(sums);
    const __mmask16 valid = first_lanes(count);
    for (size_t m = 0; m < rows; ++m) {
      float* const to = scores + m * t.columns + n;
      const __m512 before = accumulate ? _mm512_maskz_loadu_ps(valid, to) : _mm512_setzero_ps();
      _mm512_mask_storeu_ps(to, valid, _mm512_add_ps(before, sums[m]));
    }
  }
}

void scores(HalfFormat format, const TileShape& t, const uint16_t* query, size_t query_stride,
            const uint16_t* keys, float* to) {
  if (format != HalfFormat::bfloat16) {
    tile_math_avx512.scores(format, t, query, query_stride, keys, to);
    return;
  }
  for (size_t row = 0; row < t.rows; row += lanes) {
    const size_t rows = std::min(lanes, t.rows - row);
    for (size_t d = 0; d < t.depth; d += panel) {
      const size_t depth = std::min(panel, t.depth - d);
      score_panel(t, query + row * query_stride + d, query_stride, rows, keys + d, depth, d != 0,
                  to + row * t.columns);
    }
  }
}

/// Two vectors of sums for each of a block of rows.
struct RowSums {
  __m512 low[row_block] = {};
  __m512 high[row_block] = {};
};

/// Adds pairs of elements of two rows of the values, thirty-two of each, times a pair of
/// probabilities. `pair(i)` is that of row i.
template <class Pair>
inline void add_products(__m512i even, __m512i odd, Pair&& pair, RowSums& sums) {
  // Interleaves two rows, so that a lane holds the pair to multiply with.
  const __m512i order = _mm512_set_epi16(47, 15, 46, 14, 45, 13, 44, 12, 43, 11, 42, 10, 41, 9, 40,
                                         8, 39, 7, 38, 6, 37, 5, 36, 4, 35, 3, 34, 2, 33, 1, 32, 0);
  const __m512i upper = _mm512_add_epi16(order, _mm512_set1_epi16(16));
  const auto low = (__m512bh)_mm512_permutex2var_epi16(even, order, odd);
  const auto high = (__m512bh)_mm512_permutex2var_epi16(even, upper, odd);
#pragma GCC unroll 8
  for (size_t i = 0; i < row_block; ++i) {
    sums.low[i] = _mm512_dpbf16_ps(sums.low[i], pair(i), low);
    sums.high[i] = _mm512_dpbf16_ps(sums.high[i], pair(i), high);
  }
}

/// `rows` rows of the product, `count` elements of the depth, at most 32; row i of the
/// probabilities is at p[i].
void value_block(const TileShape& t, const uint16_t* const (&p)[row_block], size_t rows,
                 const uint16_t* values, size_t count, float* out) {
  const __mmask32 valid = first_halves(count);
  RowSums sums;
  size_t n = 0;
  for (; n + 2 <= t.columns; n += 2) {
    add_products(
        _mm512_maskz_loadu_epi16(valid, values + n * t.depth),
        _mm512_maskz_loadu_epi16(valid, values + (n + 1) * t.depth),
        [&](size_t i) { return broadcast_pair(p[i] + n); }, sums);
  }
  if (n < t.columns) {
    add_products(
        _mm512_maskz_loadu_epi16(valid, values + n * t.depth), _mm512_setzero_si512(),
        [&](size_t i) { return broadcast_last(p[i] + n); }, sums);
  }
#pragma GCC unroll 8  // or the sums would go to memory first
  for (size_t i = 0; i < row_block; ++i) {
    if (i >= rows) break;
    float* const to = out + i * t.depth;
    _mm512_mask_storeu_ps(to, static_cast<__mmask16>(valid), sums.low[i]);
    _mm512_mask_storeu_ps(to + lanes, static_cast<__mmask16>(valid >> lanes), sums.high[i]);
  }
}

void weighted_values(HalfFormat format, const TileShape& t, const uint16_t* probabilities,
                     const uint16_t* values, float* out) {
  if (format != HalfFormat::bfloat16) {
    tile_math_avx512.weighted_values(format, t, probabilities, values, out);
    return;
  }
  for (size_t row = 0; row < t.rows; row += row_block) {
    const size_t rows = std::min(row_block, t.rows - row);
    const uint16_t* p[row_block];
    // A missing row repeats the last one; its sums are not stored.
    for (size_t i = 0; i < row_block; ++i) {
      p[i] = probabilities + (row + std::min(i, rows - 1)) * t.columns;
    }
    for (size_t d = 0; d < t.depth; d += 2 * lanes) {
      value_block(t, p, rows, values + d, std::min(2 * lanes, t.depth - d),
                  out + row * t.depth + d);
    }
  }
}

void update(const TileShape& t, const UpdateTile& tile) {
  tile_math_avx512.update(t, tile);
}

void multiply(size_t side, const float* left, const float* right, float* product) {
  tile_math_avx512.multiply(side, left, right, product);
}

}  // namespace

const TileMath tile_math_avx512bf16 = {"avx512bf16",    scores, TileMathImpl<16, 16, 8>::softmax,
                                       weighted_values, update, multiply};

}  // namespace pto2::workloads
