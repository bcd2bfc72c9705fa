/// How instructions go over the elements of tiles.
#pragma once

#include <limits>

#include "pto/tile.hpp"
#include "pto/types.hpp"

// The iterations of the loop below it do not depend on each other: operands are the same tile, or
// apart.
#if defined(__clang__)
#define PTO2_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define PTO2_INDEPENDENT _Pragma("GCC ivdep")
#endif

namespace pto::detail {

/// What a value of type To is stored as.
template <class To, class From>
inline To as(From value) {
  return static_cast<To>(value);
}

template <class T, PadValue Pad>
T pad_value() {
  static_assert(Pad != PadValue::Null, "the tile says what to fill with: PadValue::Zero, Max, Min");
  if constexpr (Pad == PadValue::Zero) return as<T>(0);
  constexpr bool is_max = Pad == PadValue::Max;
  if constexpr (is_float<T>) {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    return as<T>(is_max ? infinity : -infinity);
  } else {
    return is_max ? std::numeric_limits<T>::max() : std::numeric_limits<T>::min();
  }
}

/// Calls each(row, col) for the valid elements, along the memory of T.
template <class T, class Each>
inline void for_each_element(int rows, int cols, Each each) {
  if constexpr (T::TileLayout::is_row_major || T::TileLayout::is_boxed) {
    for (int row = 0; row < rows; ++row) {
      PTO2_INDEPENDENT
      for (int col = 0; col < cols; ++col) each(row, col);
    }
  } else {
    for (int col = 0; col < cols; ++col) {
      PTO2_INDEPENDENT
      for (int row = 0; row < rows; ++row) each(row, col);
    }
  }
}

/// The elements of a tile, by row and column.
template <class T>
struct Elements {
  using DType = typename T::DType;
  explicit Elements(const T& tile) : data(tile.data()) {}
  DType& operator()(int row, int col) const { return data[T::TileLayout::offset(row, col)]; }
  DType* data;
};

}  // namespace pto::detail
