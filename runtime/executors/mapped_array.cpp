#include "runtime/executors/mapped_array.hpp"

#include <sys/mman.h>

#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

namespace pto2 {

namespace {

/// Below this, clearing costs less than a mapping, its page faults, and its end, of which every
/// processor that runs the process is told.
constexpr std::size_t smallest_mapping = std::size_t{1} << 20;
constexpr std::size_t alignment = 64;

}  // namespace

void throw_bad_array_size() {
  throw std::bad_array_new_length();
}

MappedBytes::MappedBytes(std::size_t bytes) : bytes_(bytes), mapped_(bytes >= smallest_mapping) {
  if (mapped_) {
    void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    data_ = static_cast<std::byte*>(memory);
  } else if (bytes != 0) {
    const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
    void* const memory = std::aligned_alloc(alignment, rounded);
    if (memory == nullptr) throw std::bad_alloc();
    std::memset(memory, 0, rounded);
    data_ = static_cast<std::byte*>(memory);
  }
}

MappedBytes::~MappedBytes() {
  if (mapped_) {
    munmap(data_, bytes_);
  } else {
    std::free(data_);
  }
}

MappedBytes::MappedBytes(MappedBytes&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)),
      mapped_(std::exchange(other.mapped_, false)) {}

MappedBytes& MappedBytes::operator=(MappedBytes&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  std::swap(mapped_, other.mapped_);
  return *this;
}

}  // namespace pto2
