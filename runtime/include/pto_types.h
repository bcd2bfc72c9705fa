/// Types that orchestrations, kernels and the runtime share. C++17, header only.
#pragma once

#include <cstdint>

/// Most dimensions a tensor can have.
constexpr uint32_t PTO_MAX_DIMS = 5;

/// Element type of a tensor. The values are part of the binary interface.
enum class DataType : int32_t {
  FLOAT32 = 0,
  FLOAT16 = 1,
  INT32 = 2,
  INT16 = 3,
  INT8 = 4,
  UINT8 = 5,
  BFLOAT16 = 6,
  INT64 = 7,
  UINT64 = 8,
};

/// Bytes of one element; 0 for a value that is no DataType.
constexpr uint64_t get_element_size(DataType dtype) {
  switch (dtype) {
    case DataType::INT8:
    case DataType::UINT8:
      return 1;
    case DataType::FLOAT16:
    case DataType::INT16:
    case DataType::BFLOAT16:
      return 2;
    case DataType::FLOAT32:
    case DataType::INT32:
      return 4;
    case DataType::INT64:
    case DataType::UINT64:
      return 8;
  }
  return 0;
}
