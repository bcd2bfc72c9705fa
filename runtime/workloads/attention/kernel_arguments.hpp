/// What the kernels of both forms of paged attention share.
#pragma once

#include <bit>

#include "runtime/include/pto_kernel_api.h"
#include "runtime/workloads/tile_math/tile_math.hpp"

namespace pto2::workloads {

/// The 16-bit format of a query, key, value or probability tensor.
inline HalfFormat half_format(const PTOTensor& tensor) {
  return tensor.dtype == DataType::BFLOAT16 ? HalfFormat::bfloat16 : HalfFormat::float16;
}

/// A scalar argument that carries the bits of a float.
inline float float_argument(const int64_t* args, int i) {
  return std::bit_cast<float>(static_cast<uint32_t>(args[i]));
}

/// Element (i) of the outermost dimension.
template <class T>
T* outer(const PTOTensor& tensor, size_t i) {
  return tensor.data<T>() + i * tensor.strides[0];
}

}  // namespace pto2::workloads
