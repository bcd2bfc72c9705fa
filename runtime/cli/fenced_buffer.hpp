/// Memory of the host that a graph of one's own is given.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace pto2::cli {

/// Zeroed bytes, aligned to a cache line. Behind the last of their lines is a page that nobody may
/// touch: whoever goes on over their end crashes there, and not where the memory that was written
/// is used.
class FencedBuffer {
 public:
  /// Throws std::bad_alloc.
  explicit FencedBuffer(uint64_t bytes);

  [[nodiscard]] uint64_t bytes() const { return bytes_; }
  [[nodiscard]] uint64_t address() const { return reinterpret_cast<uint64_t>(data_); }
  template <class T>
  [[nodiscard]] T* as() const {
    return reinterpret_cast<T*>(data_);
  }
  template <class T>
  [[nodiscard]] uint64_t count() const {
    return bytes_ / sizeof(T);
  }

 private:
  struct Unmap {
    void operator()(std::byte* begin) const;
    std::size_t bytes;
  };
  std::unique_ptr<std::byte, Unmap> pages_;
  std::byte* data_ = nullptr;
  uint64_t bytes_ = 0;
};

}  // namespace pto2::cli
