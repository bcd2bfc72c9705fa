#include "runtime/executors/mapped_array.hpp"

#include <algorithm>
#include <new>
#include <utility>

namespace pto2 {

void throw_bad_array_size() {
  throw std::bad_array_new_length();
}

MappedBytes::MappedBytes(std::size_t bytes) : block_(KeptMemory::of_process().take(bytes)) {}

MappedBytes::~MappedBytes() {
  if (block_.data == nullptr) return;
  if (touched_) {
    KeptMemory::of_process().keep(block_, *touched_);
  } else {
    KeptMemory::give_back(block_);
  }
}

MappedBytes::MappedBytes(MappedBytes&& other) noexcept
    : block_(std::exchange(other.block_, {})), touched_(std::exchange(other.touched_, {})) {}

MappedBytes& MappedBytes::operator=(MappedBytes&& other) noexcept {
  std::swap(block_, other.block_);
  std::swap(touched_, other.touched_);
  return *this;
}

void MappedBytes::keep_for_the_next(std::size_t touched) {
  touched_ = std::min(touched, block_.bytes);
}

/// Any of its pages may be there.
void MappedBytes::keep_cleared() {
  block_.resident = block_.bytes;
  touched_ = 0;
}

}  // namespace pto2
