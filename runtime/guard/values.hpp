/// What stands in the elements of a tensor of a float type: numbers, NaN, or the pattern that an
/// output is filled with before its kernel runs, which is a NaN that no operation makes.
#pragma once

#include <cstdint>

#include "runtime/tensormap/tensor_table.hpp"

namespace pto2::guard {

[[nodiscard]] bool is_float(DataType type);

/// Elements of a kind: how many, and the address of the first.
struct ElementCount {
  uint64_t elements = 0;
  uint64_t first = 0;
};
struct ValueCounts {
  ElementCount unwritten;         ///< that carry the pattern
  ElementCount nans;              ///< other NaN
  bool may_be_unwritten = false;  ///< one carries the pattern, or what a conversion has made of it
};

/// Whether the bits of a scalar are the NaN that operations make, as a float (in the lower half) or
/// as a double. Others are numbers like -1, too.
[[nodiscard]] bool is_nan(uint64_t scalar);

/// Fills the elements with the pattern.
void fill(const TensorRecord& tensor);
/// None of a type that is no float.
[[nodiscard]] ValueCounts count_values(const TensorRecord& tensor);

}  // namespace pto2::guard
