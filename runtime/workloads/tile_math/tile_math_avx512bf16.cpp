/// bf16 tiles by the CPU's own dot product of pairs (VDPBF16PS), which takes the 16-bit values as
/// they lie in memory. It rounds each step to float and flushes subnormals; both are far below the
/// precision of bf16.
#include <immintrin.h>

#include <algorithm>
#include <cstring>

#include "runtime/workloads/tile_math/tile_math.hpp"

namespace pto2::workloads {
namespace {

constexpr size_t lanes = 16;
constexpr size_t row_block = 8;
constexpr size_t max_depth = 512;  // bounds the packed query: 16 KiB of stack

__m512bh load_halves(const uint16_t* from) {
  return (__m512bh)_mm512_loadu_si512(from);
}

/// Two neighbouring elements in every lane.
__m512bh broadcast_pair(const uint16_t* from) {
  int32_t pair;
  std::memcpy(&pair, from, sizeof pair);
  return (__m512bh)_mm512_set1_epi32(pair);
}

__mmask16 first_lanes(size_t count) {
  return static_cast<__mmask16>((1u << count) - 1);
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

/// to[i] = elements 2i and 2i + 1 of each row, a row per lane; missing rows are zero.
void pack_query(const uint16_t* query, size_t stride, size_t rows, size_t depth, __m512* to) {
  for (size_t d = 0; d < depth; d += 2 * lanes) {
    __m512 block[lanes];
    for (size_t m = 0; m < lanes; ++m) {
      block[m] = m < rows ? (__m512)load_halves(query + m * stride + d) : _mm512_setzero_ps();
    }
    transpose(block);
    for (size_t i = 0; i < lanes; ++i) to[d / 2 + i] = block[i];
  }
}

/// sums[j] = query rows, a row per lane, times key j, for sixteen keys.
inline void key_block(const __m512* query, const uint16_t* keys, size_t depth,
                      __m512 (&sums)[lanes]) {
  for (size_t i = 0; i < depth / 2; ++i) {
    // One cache line of the next sixteen keys, which are read once, from memory.
    _mm_prefetch(keys + lanes * (depth + 2 * i), _MM_HINT_T0);
#pragma GCC unroll 16
    for (size_t j = 0; j < lanes; ++j) {
      const __m512bh pair = broadcast_pair(keys + j * depth + 2 * i);
      sums[j] = _mm512_dpbf16_ps(sums[j], (__m512bh)query[i], pair);
    }
  }
}

/// The same for fewer keys.
inline void key_rest(const __m512* query, const uint16_t* keys, size_t depth, size_t count,
                     __m512 (&sums)[lanes]) {
  for (size_t j = 0; j < count; ++j) {
    for (size_t i = 0; i < depth / 2; ++i) {
      const __m512bh pair = broadcast_pair(keys + j * depth + 2 * i);
      sums[j] = _mm512_dpbf16_ps(sums[j], (__m512bh)query[i], pair);
    }
  }
}

/// `Depth` is the head dimension when it is known, so that the keys' addresses are offsets of one
/// register; 0: it is t.depth.
template <size_t Depth>
void scores_of(const TileShape& t, const uint16_t* query, size_t query_stride, const uint16_t* keys,
               float* scores) {
  const size_t depth = Depth == 0 ? t.depth : Depth;
  __m512 packed[max_depth / 2];
  for (size_t row = 0; row < t.rows; row += lanes) {
    const size_t rows = std::min(lanes, t.rows - row);
    pack_query(query + row * query_stride, query_stride, rows, depth, packed);
    for (size_t n = 0; n < t.columns; n += lanes) {
      const size_t count = std::min(lanes, t.columns - n);
      __m512 sums[lanes] = {};
      count == lanes ? key_block(packed, keys + n * depth, depth, sums)
                     : key_rest(packed, keys + n * depth, depth, count, sums);
      transpose(sums);
      for (size_t m = 0; m < rows; ++m) {
        _mm512_mask_storeu_ps(scores + (row + m) * t.columns + n, first_lanes(count), sums[m]);
      }
    }
  }
}

void scores(HalfFormat format, const TileShape& t, const uint16_t* query, size_t query_stride,
            const uint16_t* keys, float* to) {
  if (format != HalfFormat::bfloat16 || t.depth % (2 * lanes) != 0 || t.depth > max_depth) {
    tile_math_avx512.scores(format, t, query, query_stride, keys, to);
  } else if (t.depth == 128) {
    scores_of<128>(t, query, query_stride, keys, to);
  } else {
    scores_of<0>(t, query, query_stride, keys, to);
  }
}

/// `rows` rows of the product, 32 elements of the depth; row i of the probabilities is at p[i].
void value_block(const TileShape& t, const uint16_t* const (&p)[row_block], size_t rows,
                 const uint16_t* values, float* out) {
  // Interleaves two rows, so that a lane holds the pair to multiply with.
  const __m512i order = _mm512_set_epi16(47, 15, 46, 14, 45, 13, 44, 12, 43, 11, 42, 10, 41, 9, 40,
                                         8, 39, 7, 38, 6, 37, 5, 36, 4, 35, 3, 34, 2, 33, 1, 32, 0);
  const __m512i upper = _mm512_add_epi16(order, _mm512_set1_epi16(16));
  __m512 low[row_block] = {};
  __m512 high[row_block] = {};
  for (size_t n = 0; n < t.columns; n += 2) {
    const __m512i even = _mm512_loadu_si512(values + n * t.depth);
    const __m512i odd = _mm512_loadu_si512(values + (n + 1) * t.depth);
    const auto v_low = (__m512bh)_mm512_permutex2var_epi16(even, order, odd);
    const auto v_high = (__m512bh)_mm512_permutex2var_epi16(even, upper, odd);
#pragma GCC unroll 8
    for (size_t i = 0; i < row_block; ++i) {
      const __m512bh pair = broadcast_pair(p[i] + n);
      low[i] = _mm512_dpbf16_ps(low[i], pair, v_low);
      high[i] = _mm512_dpbf16_ps(high[i], pair, v_high);
    }
  }
#pragma GCC unroll 8  // or the sums would go to memory first
  for (size_t i = 0; i < row_block; ++i) {
    if (i >= rows) break;
    _mm512_storeu_ps(out + i * t.depth, low[i]);
    _mm512_storeu_ps(out + i * t.depth + lanes, high[i]);
  }
}

void weighted_values(HalfFormat format, const TileShape& t, const uint16_t* probabilities,
                     const uint16_t* values, float* out) {
  if (format != HalfFormat::bfloat16 || t.depth % (2 * lanes) != 0 || t.columns % 2 != 0) {
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
      value_block(t, p, rows, values + d, out + row * t.depth + d);
    }
  }
}

void softmax(HalfFormat format, const TileShape& t, const SoftmaxTile& tile) {
  tile_math_avx512.softmax(format, t, tile);
}

void update(const TileShape& t, const UpdateTile& tile) {
  tile_math_avx512.update(t, tile);
}

}  // namespace

const TileMath tile_math_avx512bf16 = {"avx512bf16", scores, softmax, weighted_values, update};

}  // namespace pto2::workloads
