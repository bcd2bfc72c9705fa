/// Memory of operands, at a chosen distance from a page's begin.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <span>

#include "runtime/workloads/random_fill.hpp"

namespace pto2::bench {

/// `count` elements, `offset` bytes behind the begin of a page.
template <class T>
class Operand {
 public:
  explicit Operand(size_t count, size_t offset = 0)
      : memory_(std::aligned_alloc(page, (count * sizeof(T) + offset + page - 1) / page * page)),
        data_(reinterpret_cast<T*>(static_cast<std::byte*>(memory_.get()) + offset)),
        count_(count) {
    if (memory_ == nullptr) throw std::bad_alloc();
  }

  [[nodiscard]] T* data() const { return data_; }
  [[nodiscard]] std::span<T> span() const { return {data_, count_}; }

 private:
  static constexpr size_t page = 4096;
  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };
  std::unique_ptr<void, Free> memory_;
  T* data_;
  size_t count_;
};

/// Uniform in -1..1.
inline Operand<uint16_t> random_halves(size_t count, workloads::HalfFormat format,
                                       size_t offset = 0) {
  Operand<uint16_t> operand(count, offset);
  workloads::fill_uniform_half(operand.span(), format, -1, 1, count);
  return operand;
}

/// Uniform in low..high.
inline Operand<float> random_floats(size_t count, float low = -1, float high = 1,
                                    size_t offset = 0) {
  Operand<float> operand(count, offset);
  workloads::fill_uniform_float(operand.span(), low, high, count);
  return operand;
}

}  // namespace pto2::bench
