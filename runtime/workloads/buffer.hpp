#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

namespace pto2::workloads {

/// Uninitialised memory, aligned to a cache line.
class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(uint64_t bytes)
      : data_(static_cast<std::byte*>(::operator new[](bytes, std::align_val_t{64}))),
        bytes_(bytes) {}

  uint64_t bytes() const { return bytes_; }
  uint64_t address() const { return reinterpret_cast<uint64_t>(data_.get()); }
  template <class T>
  T* as() const {
    return reinterpret_cast<T*>(data_.get());
  }
  template <class T>
  uint64_t count() const {
    return bytes_ / sizeof(T);
  }

 private:
  struct Deleter {
    void operator()(std::byte* p) const { ::operator delete[](p, std::align_val_t{64}); }
  };
  std::unique_ptr<std::byte[], Deleter> data_;
  uint64_t bytes_ = 0;
};

}  // namespace pto2::workloads
