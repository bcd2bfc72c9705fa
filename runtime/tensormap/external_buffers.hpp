/// Who wrote the callers' buffers, found by address: tensors of one address share a buffer, in
/// whatever scopes they are made.
///
/// A buffer is kept as long as a tensor of it lives or the TensorMap knows of a write. The others
/// are forgotten now and then, so that memory follows the buffers in use and not all that ever
/// were.
///
/// Used by one thread, the orchestrator.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <unordered_map>

#include "runtime/tensormap/buffer_writes.hpp"

namespace pto2 {

class ExternalBuffers {
 public:
  struct Buffer {
    /// A tensor of the buffer, a handle: the oldest that lives, if any does. Tensors end in the
    /// opposite order in which they are made, so no other of the buffer outlives it.
    uint64_t oldest_tensor = 0;
    BufferWrites writes;
  };

  /// The buffer of `bytes` bytes at `address`. It stays where it is until it is forgotten. Throws
  /// std::bad_alloc.
  Buffer& at(uint64_t address, uint64_t bytes) {
    Buffer& buffer = buffers_[address];
    buffer.writes.key = address;
    buffer.writes.bytes = bytes;
    return buffer;
  }

  /// True: it is time to forget() some.
  [[nodiscard]] bool are_many() const { return buffers_.size() >= many_; }
  /// Forgets the buffers for which is_needed(buffer) is false.
  template <class IsNeeded>
  void forget(IsNeeded&& is_needed) {
    for (auto it = buffers_.begin(); it != buffers_.end();) {
      it = is_needed(it->second) ? std::next(it) : buffers_.erase(it);
    }
    many_ = std::max(fewest_, 2 * buffers_.size());
  }
  [[nodiscard]] std::size_t size() const { return buffers_.size(); }

 private:
  static constexpr std::size_t fewest_ = 4096;

  std::unordered_map<uint64_t, Buffer> buffers_;
  std::size_t many_ = fewest_;
};

}  // namespace pto2
