/// Tiles as tests see them: where their elements are by a formula of their own, what they hold in a
/// wider type, and that an instruction wrote what it should and nothing else.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "pto/pto-inst.hpp"

namespace pto2::test {

using Wide = long double;  // exact for sums, differences and products of elements

inline std::mt19937& random_bits() {
  static std::mt19937 generator(20260305);
  return generator;
}
inline int random_int(int low, int high) {
  return std::uniform_int_distribution<int>(low, high)(random_bits());
}

/// What is nearest to `value`, ties to even, with so many digits.
inline Wide nearest(Wide value, int digits, int min_exponent) {
  if (value == 0 || !std::isfinite(value)) return value;
  int exponent = 0;
  std::frexp(value, &exponent);
  const int unit = std::max(exponent - 1, min_exponent) - (digits - 1);
  return std::ldexp(std::nearbyint(std::ldexp(value, -unit)), unit);
}

/// The element that an exact result becomes: the nearest float, an integer that has wrapped around.
template <class T>
T element(Wide exact) {
  if constexpr (std::is_same_v<T, half>) {
    return static_cast<T>(nearest(exact, 11, -14));
  } else if constexpr (std::is_same_v<T, bfloat16_t>) {
    return T(static_cast<float>(nearest(exact, 8, -126)));
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<int64_t>(exact));
  } else {
    return static_cast<T>(exact);
  }
}

template <class T>
T random_element() {
  if constexpr (std::is_integral_v<T>) return static_cast<T>(random_bits()());
  return T(static_cast<float>(random_int(-4096, 4096)) / 256);
}

/// Of the buffer, the bytes that the tests use.
inline constexpr std::size_t tested_bytes = 32 * 1024;
using Memory = std::vector<std::byte>;

inline std::byte* memory_of(pto::TileType location) {
  return pto::detail::core_address(location, 0);
}
inline Memory snapshot(pto::TileType location) {
  return {memory_of(location), memory_of(location) + tested_bytes};
}
inline void fill_randomly(pto::TileType location) {
  std::generate_n(memory_of(location), tested_bytes,
                  [] { return static_cast<std::byte>(random_bits()()); });
}

/// The byte of the buffer where the element is.
template <class T>
std::size_t place(const T& tile, int row, int col) {
  const bool by_rows = T::isRowMajor || T::Loc != pto::TileType::Vec;
  const int index = by_rows ? row * T::Cols + col : col * T::Rows + row;
  return static_cast<std::size_t>(tile.address()) +
         static_cast<std::size_t>(index) * sizeof(typename T::DType);
}

/// What the valid elements of a tile are, as they were when it was made.
template <class T>
class Values {
 public:
  explicit Values(const T& tile) : memory_(snapshot(T::Loc)), tile_(tile) {}
  Wide operator()(int row, int col) const {
    typename T::DType value;
    std::memcpy(&value, memory_.data() + place(tile_, row, col), sizeof value);
    if constexpr (std::is_integral_v<typename T::DType>) return value;
    return static_cast<float>(value);
  }

 private:
  Memory memory_;
  T tile_;
};

/// Every element of the tile, valid or not.
template <class T>
void fill(const T& tile, const std::function<typename T::DType()>& next) {
  for (int row = 0; row < T::Rows; ++row)
    for (int col = 0; col < T::Cols; ++col) {
      const typename T::DType value = next();
      std::memcpy(memory_of(T::Loc) + place(tile, row, col), &value, sizeof value);
    }
}
template <class T>
void fill_randomly(const T& tile) {
  fill(tile, [] { return random_element<typename T::DType>(); });
}

/// run() makes the rows x cols first elements of dst what expected(row, col) returns, and leaves
/// all other bytes of its buffer as they are.
template <class Dst, class Run, class Expected>
void expect_elements(const std::string& what, const Dst& dst, int rows, int cols, Run run,
                     Expected expected) {
  Memory after = snapshot(Dst::Loc);
  for (int row = 0; row < rows; ++row)
    for (int col = 0; col < cols; ++col) {
      const typename Dst::DType value = expected(row, col);
      std::memcpy(after.data() + place(dst, row, col), &value, sizeof value);
    }
  run();
  const std::byte* const memory = memory_of(Dst::Loc);
  const auto differs = std::mismatch(after.begin(), after.end(), memory).first - after.begin();
  EXPECT_EQ(differs, static_cast<std::ptrdiff_t>(tested_bytes))
      << what << " of " << pto::detail::type_name<typename Dst::DType>() << ": the first byte that "
      << "is wrong; dst is at " << dst.address() << ", valid " << rows << "x" << cols;
}
template <class Dst, class Run, class Expected>
void expect_valid(const std::string& what, const Dst& dst, Run run, Expected expected) {
  expect_elements(what, dst, dst.GetValidRow(), dst.GetValidCol(), run, expected);
}

/// Tiles of tests: the valid region is dynamic.
template <class T, int Rows, int Cols>
using RowTile = pto::Tile<pto::TileType::Vec, T, Rows, Cols, pto::BLayout::RowMajor, -1, -1>;
template <class T, int Rows, int Cols>
using ColTile = pto::Tile<pto::TileType::Vec, T, Rows, Cols, pto::BLayout::ColMajor, -1, -1>;

}  // namespace pto2::test
