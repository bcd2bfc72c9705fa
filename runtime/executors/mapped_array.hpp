/// Zeroed memory of a run: large arrays cost nothing until they are touched.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "runtime/executors/kept_memory.hpp"

namespace pto2 {

/// Owns zeroed bytes, aligned to 64, perhaps those of a former run (kept_memory.hpp). Throws
/// std::bad_alloc.
class MappedBytes {
 public:
  MappedBytes() = default;
  explicit MappedBytes(std::size_t bytes);
  ~MappedBytes();
  MappedBytes(MappedBytes&& other) noexcept;
  MappedBytes& operator=(MappedBytes&& other) noexcept;

  [[nodiscard]] std::byte* data() const { return block_.data; }
  [[nodiscard]] std::size_t size() const { return block_.bytes; }

  /// When this ends, the memory is cleared and kept, and not given back to the system. All that was
  /// ever written lies in the first `touched` bytes; nobody writes any more.
  void keep_for_the_next(std::size_t touched);
  /// The same of memory that its user has cleared himself, wherever he had written.
  void keep_cleared();

 private:
  KeptMemory::Block block_;
  std::optional<std::size_t> touched_;
};

/// An array of T whose valid initial state is all zeros and whose destructor does nothing. The
/// elements are not constructed one by one: that would touch every page.
template <class T>
class MappedArray {
 public:
  MappedArray() = default;
  /// Throws std::bad_alloc, also when the size overflows.
  explicit MappedArray(std::size_t count) : bytes_(checked(count)), count_(count) {}

  [[nodiscard]] std::span<T> span() const { return {reinterpret_cast<T*>(bytes_.data()), count_}; }
  [[nodiscard]] T& operator[](std::size_t i) const { return span()[i]; }

  /// As MappedBytes does: of the elements, only the first `touched` were ever written.
  void keep_for_the_next(uint64_t touched) {
    bytes_.keep_for_the_next(std::min<uint64_t>(touched, count_) * sizeof(T));
  }
  void keep_cleared() { bytes_.keep_cleared(); }

 private:
  static_assert(alignof(T) <= 64);
  static std::size_t checked(std::size_t count);

  MappedBytes bytes_;
  std::size_t count_ = 0;
};

[[noreturn]] void throw_bad_array_size();

template <class T>
std::size_t MappedArray<T>::checked(std::size_t count) {
  std::size_t bytes = 0;
  if (__builtin_mul_overflow(count, sizeof(T), &bytes)) throw_bad_array_size();
  return bytes;
}

}  // namespace pto2
