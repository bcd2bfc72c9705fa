/// Who wrote the callers' buffers, found by address: tensors that share a byte share a buffer,
/// wherever they begin and in whatever scopes they are made.
///
/// A buffer begins and ends with the tensors that were made of it. One that reaches into several
/// makes them one buffer, and no two share a byte. So does one that begins in front of the buffer
/// that it reaches into, as places in a buffer are counted from its begin.
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
#include <map>

#include "runtime/tensormap/buffer_writes.hpp"

namespace pto2 {

class ExternalBuffers {
 public:
  struct Buffer {
    /// A tensor of the buffer, a handle: the oldest that lives, if any does. Tensors end in the
    /// opposite order in which they are made, so no other of the buffer outlives it.
    uint64_t oldest_tensor = 0;
    uint64_t end = 0;     ///< address behind its last byte
    BufferWrites writes;  ///< its address is the key
  };

  /// The buffer of a tensor of `bytes` bytes, not 0, at `address`. It stays where it is until it is
  /// forgotten, or another one takes it in: take_in(buffer, other) is told of each `other` that
  /// ends in this one. Those for which is_needed(buffer) is false are forgotten instead, so that no
  /// buffer is larger than what is in use. Throws std::bad_alloc, with nothing taken in.
  template <class IsNeeded, class TakeIn>
  Buffer& at(uint64_t address, uint64_t bytes, IsNeeded&& is_needed, TakeIn&& take_in) {
    auto place = place_of(address);
    if (place != buffers_.end() && !is_needed(place->second)) {
      buffers_.erase(place);
      place = buffers_.end();
    }
    if (place == buffers_.end()) place = buffers_.try_emplace(address).first;
    Buffer& buffer = place->second;
    buffer.end = std::max(buffer.end, address + bytes);
    buffer.writes.key = place->first;
    if (place->first == address) buffer.writes.bytes = bytes;
    auto behind = std::next(place);
    for (; behind != buffers_.end() && behind->first < buffer.end;
         behind = buffers_.erase(behind)) {
      if (!is_needed(behind->second)) continue;
      buffer.end = std::max(buffer.end, behind->second.end);
      take_in(buffer, behind->second);
    }
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

  using Places = std::map<uint64_t, Buffer>;

  /// Of the buffer that has the byte at `address`, or the end.
  Places::iterator place_of(uint64_t address) {
    const auto behind = buffers_.upper_bound(address);
    if (behind == buffers_.begin() || address >= std::prev(behind)->second.end) {
      return buffers_.end();
    }
    return std::prev(behind);
  }

  Places buffers_;  // by address
  std::size_t many_ = fewest_;
};

}  // namespace pto2
