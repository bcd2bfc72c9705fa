/// Views of tensors in global memory: an address, five sizes and five strides in elements, each in
/// the type or given when the view is made.
#pragma once

#include "pto/types.hpp"

namespace pto {
namespace detail {

template <int N1, int N2, int N3, int N4, int N5>
struct FiveSizes {
  static constexpr int64_t fixed[5] = {N1, N2, N3, N4, N5};
  static constexpr int dynamic_count =
      (N1 == DYNAMIC) + (N2 == DYNAMIC) + (N3 == DYNAMIC) + (N4 == DYNAMIC) + (N5 == DYNAMIC);

  FiveSizes() = default;
  /// Those that are DYNAMIC, in their order, or all five.
  template <
      class... Sizes,
      std::enable_if_t<
          (sizeof...(Sizes) > 0) && (std::is_convertible<Sizes, int64_t>::value && ...), int> = 0>
  FiveSizes(Sizes... sizes) {
    static_assert(sizeof...(Sizes) == dynamic_count || sizeof...(Sizes) == 5,
                  "as many sizes are given as are DYNAMIC, or five");
    const int64_t given[] = {static_cast<int64_t>(sizes)...};
    int next = 0;
    for (int i = 0; i < 5; ++i) {
      if (sizeof...(Sizes) == 5) {
        values[i] = given[i];
      } else if (fixed[i] == DYNAMIC) {
        values[i] = given[next++];
      }
    }
  }
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

constexpr int sizes_product(int a, int b) {
  return a == DYNAMIC || b == DYNAMIC ? DYNAMIC : a * b;
}

/// A matrix in base tiles of 16 rows of 32 bytes: (.., columns of base tiles, rows of them, 16,
/// ..).
template <class T, int Rows, int Cols>
struct NzSizes {
  static constexpr int row = 32 / sizeof(T);
  using Shape = pto::Shape<1, Cols == DYNAMIC ? DYNAMIC : Cols / row,
                           Rows == DYNAMIC ? DYNAMIC : Rows / 16, 16, row>;
  using Stride = pto::Stride<sizes_product(Rows, Cols), sizes_product(Rows, row), 16 * row, row, 1>;
};

template <class T, int Rows, int Cols, Layout L>
using Shape2D = std::conditional_t<L == Layout::NZ, typename NzSizes<T, Rows, Cols>::Shape,
                                   Shape<1, 1, 1, Rows, Cols>>;

template <class T, int Rows, int Cols, Layout L>
using Stride2D = std::conditional_t<
    L == Layout::NZ, typename NzSizes<T, Rows, Cols>::Stride,
    std::conditional_t<L == Layout::DN,
                       Stride<sizes_product(Rows, Cols), sizes_product(Rows, Cols),
                              sizes_product(Rows, Cols), 1, Rows>,
                       Stride<sizes_product(Rows, Cols), sizes_product(Rows, Cols),
                              sizes_product(Rows, Cols), Cols, 1>>>;

}  // namespace detail

/// The shape of a matrix.
template <class T, int Rows, int Cols, Layout L = Layout::ND>
struct TileShape2D : detail::Shape2D<T, Rows, Cols, L> {
  using detail::Shape2D<T, Rows, Cols, L>::Shape2D;
};

/// The strides of a matrix that is contiguous.
template <class T, int Rows, int Cols, Layout L = Layout::ND>
struct BaseShape2D : detail::Stride2D<T, Rows, Cols, L> {
  using detail::Stride2D<T, Rows, Cols, L>::Stride2D;
};

}  // namespace pto
