/// Products of matrices whose elements lie row by row, and transposes of such.
///
/// A block of the result stays in the registers of a vector unit while the inner dimension passes:
/// some rows, as many columns as a vector has lanes. The left operand comes in blocks that are
/// converted once and lie as they are used (Goto and van de Geijn, Anatomy of High-Performance
/// Matrix Multiplication, 2008, sections 4 and 5).
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "pto/types.hpp"

#if defined(__F16C__) || defined(__AVX512F__)
#include <immintrin.h>
#endif

namespace pto::detail {

#if defined(__AVX512F__)
inline constexpr int vector_bytes = 64, block_rows = 16;
#elif defined(__AVX__)
inline constexpr int vector_bytes = 32, block_rows = 8;
#else
inline constexpr int vector_bytes = 16, block_rows = 8;
#endif
/// Elements of the inner dimension that a block of the left operand has.
inline constexpr int block_inner = 128;

/// What sums of T are computed in: integers wrap around.
template <class T>
using sum_t = std::conditional_t<std::is_integral<T>::value, uint32_t, float>;

template <class T, int Bytes = vector_bytes>
struct VectorOf {
  static constexpr int lanes = Bytes / static_cast<int>(sizeof(T));
  typedef T type __attribute__((vector_size(Bytes)));
};

/// As many elements as a vector of sums has.
template <class From>
typename VectorOf<sum_t<From>>::type load_sums(const From* from) {
  using Sum = sum_t<From>;
  using Vector = typename VectorOf<Sum>::type;
  constexpr int lanes = VectorOf<Sum>::lanes;
  if constexpr (std::is_same<From, bfloat16_t>::value) {
    using Wide = typename VectorOf<uint32_t>::type;
    typename VectorOf<uint16_t, vector_bytes / 2>::type narrow;
    std::memcpy(&narrow, from, sizeof narrow);
    const Wide wide = __builtin_convertvector(narrow, Wide) << 16;
    Vector result;
    std::memcpy(&result, &wide, sizeof result);
    return result;
  } else if constexpr (sizeof(From) == sizeof(Sum)) {
    Vector result;
    std::memcpy(&result, from, sizeof result);
    return result;
#if defined(__AVX512F__)
  } else if constexpr (std::is_same<From, half>::value) {
    return _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)));
#elif defined(__F16C__)
  } else if constexpr (std::is_same<From, half>::value) {
    return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
#endif
  } else {
    Vector result{};
    for (int i = 0; i < lanes; ++i) result[i] = static_cast<Sum>(from[i]);
    return result;
  }
}

/// The same of the first `count`; the others are 0.
template <class From>
typename VectorOf<sum_t<From>>::type load_first(const From* from, int count) {
  From whole[VectorOf<sum_t<From>>::lanes] = {};
  std::memcpy(static_cast<void*>(whole), from, static_cast<std::size_t>(count) * sizeof(From));
  return load_sums(whole);
}

/// A block of the left operand: element r of row k is that of row r and column k there; rows that
/// are not there are 0.
template <class Sum>
struct LeftBlock {
  template <class From>
  void fill(const From* from, int64_t stride, int rows, int inner) {
    for (int k = 0; k < inner; ++k)
      for (int r = 0; r < block_rows; ++r)
        elements[k][r] = r < rows ? static_cast<Sum>(from[r * stride + k]) : Sum{};
  }
  Sum elements[block_inner][block_rows];
};

/// sums += left * right, for `count` columns that begin at `right` and `sums`.
template <class Sum, class From, class Load>
void multiply_block(const LeftBlock<Sum>& left, const From* right, int64_t right_stride, int inner,
                    Sum* sums, int64_t stride, int rows, int count, Load load) {
  using Vector = typename VectorOf<Sum>::type;
  Vector block[block_rows];
  for (int r = 0; r < block_rows; ++r)
    block[r] = r < rows ? load_first(sums + r * stride, count) : Vector{};
  for (int k = 0; k < inner; ++k) {
    const Vector row = load(right + k * right_stride);
    for (int r = 0; r < block_rows; ++r) block[r] += left.elements[k][r] * row;
  }
  for (int r = 0; r < rows; ++r)
    std::memcpy(sums + r * stride, &block[r], static_cast<std::size_t>(count) * sizeof(Sum));
}

/// A matrix in memory: its first element, and how many there are from one row to the next.
template <class T>
struct Rows {
  T* first;
  int64_t stride;
};

/// sums += left * right: rows x inner by inner x cols. Sum is float or uint32_t.
template <class Sum, class Left, class Right>
void multiply_into(const Rows<Sum>& sums, const Rows<const Left>& left,
                   const Rows<const Right>& right, int rows, int inner, int cols) {
  constexpr int lanes = VectorOf<Sum>::lanes;
  LeftBlock<Sum> block;
  for (int k = 0; k < inner; k += block_inner) {
    const int inner_here = std::min(block_inner, inner - k);
    const Right* const right_here = right.first + k * right.stride;
    for (int r = 0; r < rows; r += block_rows) {
      const int rows_here = std::min(block_rows, rows - r);
      block.fill(left.first + r * left.stride + k, left.stride, rows_here, inner_here);
      Sum* const out = sums.first + r * sums.stride;
      int c = 0;
      for (; c + lanes <= cols; c += lanes)
        multiply_block(block, right_here + c, right.stride, inner_here, out + c, sums.stride,
                       rows_here, lanes, [](const Right* from) { return load_sums(from); });
      if (c == cols) continue;
      const int rest = cols - c;
      multiply_block(block, right_here + c, right.stride, inner_here, out + c, sums.stride,
                     rows_here, rest, [=](const Right* from) { return load_first(from, rest); });
    }
  }
}

/// Eight rows of eight elements of 16 bits become the columns of eight others.
inline void transpose_8x8(const uint16_t* from, int64_t from_stride, uint16_t* to,
                          int64_t to_stride) {
  typedef uint16_t Row __attribute__((vector_size(16)));
  Row rows[8], mixed[8];
  for (int i = 0; i < 8; ++i) std::memcpy(&rows[i], from + i * from_stride, sizeof(Row));
  // Each step interleaves rows that are half of all apart: three of them make the transpose.
  for (int step = 0; step < 3; ++step) {
    for (int i = 0; i < 4; ++i) {
      mixed[2 * i] = __builtin_shufflevector(rows[i], rows[i + 4], 0, 8, 1, 9, 2, 10, 3, 11);
      mixed[2 * i + 1] = __builtin_shufflevector(rows[i], rows[i + 4], 4, 12, 5, 13, 6, 14, 7, 15);
    }
    for (int i = 0; i < 8; ++i) rows[i] = mixed[i];
  }
  for (int i = 0; i < 8; ++i) std::memcpy(to + i * to_stride, &rows[i], sizeof(Row));
}

/// Element (i, j) of `to` becomes element (j, i) of `from`: rows x cols elements of the same bytes.
template <class T>
void transpose(const Rows<T>& to, const Rows<const T>& from, int rows, int cols) {
  constexpr int side = 8;
  // With its own copies, which no element that is written can be a part of.
  const auto copy = [to, from](int i, int j) {
    to.first[i * to.stride + j] = from.first[j * from.stride + i];
  };
  const int whole_rows = rows / side * side, whole_cols = cols / side * side;
  for (int i = 0; i < whole_rows; i += side) {
    for (int j = 0; j < whole_cols; j += side) {
      if constexpr (sizeof(T) == sizeof(uint16_t)) {
        transpose_8x8(reinterpret_cast<const uint16_t*>(from.first + j * from.stride + i),
                      from.stride, reinterpret_cast<uint16_t*>(to.first + i * to.stride + j),
                      to.stride);
      } else {
        for (int r = i; r < i + side; ++r)
          for (int c = j; c < j + side; ++c) copy(r, c);
      }
    }
    for (int r = i; r < i + side; ++r)
      for (int c = whole_cols; c < cols; ++c) copy(r, c);
  }
  for (int r = whole_rows; r < rows; ++r)
    for (int c = 0; c < cols; ++c) copy(r, c);
}

}  // namespace pto::detail
