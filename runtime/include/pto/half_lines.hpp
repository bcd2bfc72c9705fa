/// Lines of halves as floats and back, many at a time, for loops whose arithmetic is that of float.
#pragma once

#include <algorithm>

#include "pto/elements.hpp"

namespace pto::detail {

// g++ 12 converts vectors of halves only when told by name; clang does by itself.
#if defined(__F16C__) && defined(__AVX__) && !defined(__clang__)
#define PTO2_HALF_VECTORS 1
using EightHalves = short __attribute__((vector_size(16)));
using EightFloats = float __attribute__((vector_size(32)));
#endif

inline void widen(float* to, const half* from, int n) {
  int i = 0;
#ifdef PTO2_HALF_VECTORS
  for (; i + 8 <= n; i += 8) {
    EightHalves halves;
    std::memcpy(&halves, from + i, sizeof halves);
    const EightFloats floats = __builtin_ia32_vcvtph2ps256(halves);
    std::memcpy(to + i, &floats, sizeof floats);
  }
#endif
  for (; i < n; ++i) to[i] = static_cast<float>(from[i]);
}

/// To the nearest, ties to even.
inline void narrow(half* to, const float* from, int n) {
  int i = 0;
#ifdef PTO2_HALF_VECTORS
  for (; i + 8 <= n; i += 8) {
    EightFloats floats;
    std::memcpy(&floats, from + i, sizeof floats);
    const EightHalves halves = __builtin_ia32_vcvtps2ph256(floats, 0);
    std::memcpy(to + i, &halves, sizeof halves);
  }
#endif
  for (; i < n; ++i) to[i] = static_cast<half>(from[i]);
}

/// Tiles whose elements lie line by line, rows or columns.
template <class First, class... Others>
inline constexpr bool have_same_lines =
    !First::TileLayout::is_boxed &&
    ((!Others::TileLayout::is_boxed &&
      Others::TileLayout::is_row_major == First::TileLayout::is_row_major) &&
     ...);

/// The valid elements of dst are op of those of the sources, all of them halves in the same lines.
template <class Op, class Dst, class... Src>
void transform_halves(Op op, const Dst& dst, const Src&... src) {
  constexpr bool by_rows = Dst::TileLayout::is_row_major;
  const int lines = by_rows ? dst.GetValidRow() : dst.GetValidCol();
  const int length = by_rows ? dst.GetValidCol() : dst.GetValidRow();
  const auto line_of = [](const auto& tile, int line) {
    using T = std::remove_cv_t<std::remove_reference_t<decltype(tile)>>;
    return tile.data() + int64_t{line} * (by_rows ? T::Cols : T::Rows);
  };
  constexpr int chunk = 64;
  float floats[sizeof...(Src)][chunk];
  for (int line = 0; line < lines; ++line)
    for (int begin = 0; begin < length; begin += chunk) {
      const int n = std::min(chunk, length - begin);
      int operand = 0;
      (widen(floats[operand++], line_of(src, line) + begin, n), ...);
      if constexpr (sizeof...(Src) == 1) {
        for (int k = 0; k < n; ++k) floats[0][k] = op(floats[0][k]);
      } else {
        for (int k = 0; k < n; ++k) floats[0][k] = op(floats[0][k], floats[1][k]);
      }
      narrow(line_of(dst, line) + begin, floats[0], n);
    }
}

}  // namespace pto::detail
