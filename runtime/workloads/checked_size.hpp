#pragma once

#include <cstdint>
#include <initializer_list>
#include <stdexcept>
#include <string>

namespace pto2::workloads {

/// The product of the factors; std::overflow_error naming `what` when it does not fit 64 bits.
inline uint64_t checked_product(std::initializer_list<uint64_t> factors, const char* what) {
  uint64_t product = 1;
  for (const uint64_t factor : factors) {
    if (__builtin_mul_overflow(product, factor, &product)) {
      throw std::overflow_error(std::string(what) +
                                ": the size does not fit 64 bits; use smaller extents");
    }
  }
  return product;
}

}  // namespace pto2::workloads
