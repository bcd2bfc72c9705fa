/// What the kernels of this folder share: tensors as views, and the shapes that they are made for.
#pragma once

#include <cstdint>
#include <pto/pto-inst.hpp>
#include <stdexcept>

#include "tensor.h"

/// Rows x Cols elements of T, contiguous.
template <class T, int Rows, int Cols>
using Matrix = pto::GlobalTensor<T, pto::Shape<1, 1, 1, Rows, Cols>, pto::Stride<1, 1, 1, Cols, 1>>;

/// One number per row.
template <int Rows>
using Column = pto::GlobalTensor<float, pto::Shape<1, 1, 1, Rows, 1>, pto::Stride<1, 1, 1, 1, Rows>,
                                 pto::Layout::DN>;

inline const TensorData& tensor_of(int64_t argument) {
  return *reinterpret_cast<__gm__ TensorData*>(argument);
}

/// The tensor as a view of this type.
template <class View>
View view_of(int64_t argument) {
  const TensorData& tensor = tensor_of(argument);
  using Element = typename View::DType;
  return View(reinterpret_cast<Element*>(tensor.buffer.addr) + tensor.start_offset);
}

/// Queries, keys of a block, elements of each, and their type.
template <class T, int M, int N, int D>
struct Sizes {
  using Element = T;
  static constexpr int heads = M, block = N, dim = D;
};

/// Calls run(Sizes) with those of this many heads, rows of a block and elements.
template <class Run>
void with_sizes(uint32_t heads, uint32_t block, uint32_t dim, Run run) {
  const auto are = [&](uint32_t m, uint32_t n, uint32_t d) {
    return heads == m && block == n && dim == d;
  };
  if (are(16, 16, 16)) return run(Sizes<half, 16, 16, 16>());
  if (are(16, 128, 128)) return run(Sizes<bfloat16_t, 16, 128, 128>());
  if (are(64, 64, 128)) return run(Sizes<bfloat16_t, 64, 64, 128>());
  throw std::invalid_argument(
      "the kernels are made for 16 x 16 x 16, 16 x 128 x 128 and "
      "64 x 64 x 128 heads, rows of a block and elements");
}
