/// The matrix product of the kernels.
#pragma once

#include <algorithm>
#include <cstddef>

namespace pto2::workloads {

/// product = left x right: squares of Side x Side floats in row-major order, without gaps. Needs
/// one row of stack.
template <size_t Side>
void multiply(const float* left, const float* right, float* product) {
  for (size_t i = 0; i < Side; ++i) {
    float row[Side] = {};
    for (size_t k = 0; k < Side; ++k) {
      const float factor = left[i * Side + k];
      for (size_t j = 0; j < Side; ++j) row[j] += factor * right[k * Side + j];
    }
    std::copy_n(row, Side, product + i * Side);
  }
}

}  // namespace pto2::workloads
