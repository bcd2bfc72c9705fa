/// A tensor argument as kernels with tile instructions see it: the same bytes as a PTOTensor, by
/// other names.
#pragma once

#include <cstddef>
#include <cstring>

#include "pto_kernel_api.h"

struct TensorData {
  struct Buffer {
    uint64_t addr;
  };

  Buffer buffer;                   ///< addr: of the first element
  uint32_t shapes[PTO_MAX_DIMS];   ///< elements per dimension
  uint32_t strides[PTO_MAX_DIMS];  ///< elements
  DataType dtype;
  uint32_t ndims;
  /// Elements from buffer.addr to the first one.
  static constexpr uint64_t start_offset = 0;
};
using ChipTensor = TensorData;

/// A scalar argument, whose bytes are the first of the 64 bits.
template <class T>
T from_u64(uint64_t bits) {
  static_assert(sizeof(T) <= sizeof bits, "a scalar argument has 64 bits");
  T value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

static_assert(sizeof(TensorData) == sizeof(PTOTensor) &&
              offsetof(TensorData, buffer) == offsetof(PTOTensor, address) &&
              offsetof(TensorData, shapes) == offsetof(PTOTensor, shape) &&
              offsetof(TensorData, strides) == offsetof(PTOTensor, strides) &&
              offsetof(TensorData, dtype) == offsetof(PTOTensor, dtype) &&
              offsetof(TensorData, ndims) == offsetof(PTOTensor, ndims));
