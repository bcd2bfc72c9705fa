#pragma once

#include <xmmintrin.h>

namespace pto2::workloads {
namespace {

/// While it lives, subnormal floats of this thread count as zero, as operands and as results: many
/// a CPU takes a hundred cycles for an operation with one.
class FlushSubnormals {
 public:
  FlushSubnormals() : before_(_mm_getcsr()) { _mm_setcsr(before_ | to_zero | are_zero); }
  ~FlushSubnormals() { _mm_setcsr(before_); }
  FlushSubnormals(const FlushSubnormals&) = delete;
  FlushSubnormals& operator=(const FlushSubnormals&) = delete;

 private:
  static constexpr unsigned to_zero = 1u << 15;  // results
  static constexpr unsigned are_zero = 1u << 6;  // operands

  unsigned before_;
};

}  // namespace
}  // namespace pto2::workloads
