/// Views of tensors in global memory: an address, five sizes and five strides in elements, each in
/// the type or given when the view is made.
#pragma once

#include <array>

#include "pto/types.hpp"

namespace pto {
namespace detail {

/// Sizes or strides, the last dimension fastest.
using FiveNumbers = std::array<int64_t, 5>;
/// Goes in front of them, so that numbers in braces are a view's and nothing else.
struct AllFive {};

template <class... Numbers>
inline constexpr bool are_numbers = sizeof...(Numbers) > 0 &&
                                    (std::is_convertible<Numbers, int64_t>::value && ...);

template <int N1, int N2, int N3, int N4, int N5>
struct FiveSizes {
  static constexpr int64_t fixed[5] = {N1, N2, N3, N4, N5};
  static constexpr int dynamic_count =
      (N1 == DYNAMIC) + (N2 == DYNAMIC) + (N3 == DYNAMIC) + (N4 == DYNAMIC) + (N5 == DYNAMIC);

  FiveSizes() = default;
  /// Those that are DYNAMIC, in their order, or all five, of which the others do not count.
  template <class... Sizes, std::enable_if_t<are_numbers<Sizes...>, int> = 0>
  FiveSizes(Sizes... sizes) {
    static_assert(sizeof...(Sizes) == dynamic_count || sizeof...(Sizes) == 5,
                  "as many sizes are given as are DYNAMIC, or five");
    const int64_t given[] = {static_cast<int64_t>(sizes)...};
    int next = 0;
    for (int i = 0; i < 5; ++i)
      if (fixed[i] == DYNAMIC) values[i] = given[sizeof...(Sizes) == 5 ? i : next++];
  }
  FiveSizes(AllFive, const FiveNumbers& all) : FiveSizes(all[0], all[1], all[2], all[3], all[4]) {}
  [[nodiscard]] int64_t get(int i) const { return values[i]; }

  int64_t values[5] = {N1, N2, N3, N4, N5};
};

}  // namespace detail

template <int N1 = DYNAMIC, int N2 = DYNAMIC, int N3 = DYNAMIC, int N4 = DYNAMIC, int N5 = DYNAMIC>
struct Shape : detail::FiveSizes<N1, N2, N3, N4, N5> {
  using detail::FiveSizes<N1, N2, N3, N4, N5>::FiveSizes;
  static constexpr int staticShape[5] = {N1, N2, N3, N4, N5};
};

template <int N1 = DYNAMIC, int N2 = DYNAMIC, int N3 = DYNAMIC, int N4 = DYNAMIC, int N5 = DYNAMIC>
struct Stride : detail::FiveSizes<N1, N2, N3, N4, N5> {
  using detail::FiveSizes<N1, N2, N3, N4, N5>::FiveSizes;
  static constexpr int staticStride[5] = {N1, N2, N3, N4, N5};
};

enum class GlobalTensorDim { DIM_0, DIM_1, DIM_2, DIM_3, DIM_4 };

template <typename Element_, typename Shape_, typename Stride_, Layout Layout_ = Layout::ND>
struct GlobalTensor {
  using RawDType = Element_;
  using DType = __gm__ Element_;
  using Shape = Shape_;
  using Stride = Stride_;
  static constexpr Layout layout = Layout_;
  static_assert(detail::type_name<std::remove_cv_t<Element_>>() != nullptr,
                "tensors have no elements of this type: see docs/TILES.md");

  GlobalTensor() = default;
  explicit GlobalTensor(DType* data, const Shape& shape = Shape(), const Stride& stride = Stride())
      : data_(data), shape_(shape), stride_(stride) {}

  [[nodiscard]] DType* data() const { return data_; }
  void SetAddr(DType* data) { data_ = data; }

  [[nodiscard]] int GetShape(int dim) const { return detail::as_size(shape_.get(dim)); }
  [[nodiscard]] int GetShape(GlobalTensorDim dim) const { return GetShape(static_cast<int>(dim)); }
  template <GlobalTensorDim Dim>
  static constexpr int GetShape() {
    return Shape::staticShape[static_cast<int>(Dim)];
  }
  [[nodiscard]] int64_t GetStride(int dim) const { return stride_.get(dim); }
  [[nodiscard]] int64_t GetStride(GlobalTensorDim dim) const {
    return GetStride(static_cast<int>(dim));
  }
  template <GlobalTensorDim Dim>
  static constexpr int GetStride() {
    return Stride::staticStride[static_cast<int>(Dim)];
  }

 private:
  DType* data_ = nullptr;
  Shape shape_;
  Stride stride_;
};

namespace detail {

constexpr int64_t product(int64_t a, int64_t b) {
  return a == DYNAMIC || b == DYNAMIC ? DYNAMIC : a * b;
}
constexpr int64_t quotient(int64_t a, int64_t b) {
  return a == DYNAMIC ? DYNAMIC : a / b;
}

/// The columns of a base tile, whose 16 rows have 32 bytes each.
template <class T>
inline constexpr int64_t base_cols = C0_SIZE_BYTE / sizeof(T);

/// The sizes of a view of a matrix; one of NZ has (.., columns of base tiles, rows of them, 16,
/// ..). DYNAMIC where one is that they depend on.
template <class T, Layout L>
constexpr FiveNumbers matrix_sizes(int64_t rows, int64_t cols) {
  if (L != Layout::NZ) return {1, 1, 1, rows, cols};
  return {1, quotient(cols, base_cols<T>), quotient(rows, FRACTAL_NZ_ROW), FRACTAL_NZ_ROW,
          base_cols<T>};
}
/// Its strides, if it is contiguous.
template <class T, Layout L>
constexpr FiveNumbers matrix_strides(int64_t rows, int64_t cols) {
  const int64_t all = product(rows, cols);
  if (L == Layout::ND) return {all, all, all, cols, 1};
  if (L == Layout::DN) return {all, all, all, 1, rows};
  return {all, product(rows, base_cols<T>), FRACTAL_NZ_ROW * base_cols<T>, base_cols<T>, 1};
}

template <template <int, int, int, int, int> class Five, FiveNumbers (*of)(int64_t, int64_t),
          int Rows, int Cols>
using FixedFive = Five<of(Rows, Cols)[0], of(Rows, Cols)[1], of(Rows, Cols)[2], of(Rows, Cols)[3],
                       of(Rows, Cols)[4]>;

/// Shape or Stride with the numbers of a matrix.
template <template <int, int, int, int, int> class Five, FiveNumbers (*of)(int64_t, int64_t),
          int Rows, int Cols>
struct OfMatrix : FixedFive<Five, of, Rows, Cols> {
  using Fixed = FixedFive<Five, of, Rows, Cols>;

  OfMatrix() = default;
  /// Of both sizes what is in the type does not count.
  OfMatrix(int64_t rows, int64_t cols) : Fixed(AllFive(), of(as_size(rows), as_size(cols))) {}
  /// What other views are given, unless that is two numbers, too.
  template <class... Sizes,
            std::enable_if_t<sizeof...(Sizes) != 2 && are_numbers<Sizes...>, int> = 0>
  OfMatrix(Sizes... sizes) : Fixed(sizes...) {}
};

}  // namespace detail

/// The shape of a matrix; one of NZ has whole base tiles.
template <class T, int Rows = DYNAMIC, int Cols = DYNAMIC, Layout L = Layout::ND>
struct TileShape2D : detail::OfMatrix<Shape, detail::matrix_sizes<T, L>, Rows, Cols> {
  using detail::OfMatrix<Shape, detail::matrix_sizes<T, L>, Rows, Cols>::OfMatrix;
  static_assert(L != Layout::NZ || Rows == DYNAMIC || Rows % FRACTAL_NZ_ROW == 0,
                "the rows of a matrix of Layout::NZ are a multiple of 16");
  static_assert(L != Layout::NZ || Cols == DYNAMIC || Cols % detail::base_cols<T> == 0,
                "the columns of a matrix of Layout::NZ are a multiple of 32 bytes");
};

/// The strides of a matrix that is contiguous.
template <class T, int Rows = DYNAMIC, int Cols = DYNAMIC, Layout L = Layout::ND>
struct BaseShape2D : detail::OfMatrix<Stride, detail::matrix_strides<T, L>, Rows, Cols> {
  using detail::OfMatrix<Stride, detail::matrix_strides<T, L>, Rows, Cols>::OfMatrix;
};

}  // namespace pto
