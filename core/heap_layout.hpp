/// Where the next buffer of a heap ring goes. Pure functions on plain integers: the heap ring of
/// the runtime and the simulation that recommends sizes place buffers by the same arithmetic.
///
/// Positions count bytes from the start of the heap and lie in [0, size); the position `size` is
/// the position 0. `top` is where the last buffer ended, `tail` where the youngest retired one
/// did. Live buffers fill [tail, top), or [tail, size) and [0, top) when top < tail.
///
///   HL-I1: A buffer never runs across the end of the heap.
///   HL-I2: A placed buffer of at least one byte leaves top != tail, so that top == tail means that
///        no byte is live: full and empty are never confused.
///   HL-I3: A placed buffer overlaps no live one.
///
/// The placement does not depend on how fast buffers retire: a buffer goes to `top` when it fits
/// before the end and to 0 otherwise; the tail decides only whether it may go there yet. So the
/// layout is a function of the sequence of sizes, and a request that does not fit although all
/// that can retire has retired will never fit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

namespace pto2 {

/// Outputs of one task lie in one block, each at a multiple of this many bytes.
inline constexpr uint64_t packed_output_alignment = 1024;

/// Marks a sum of sizes that does not fit 64 bits; no heap can hold it.
inline constexpr uint64_t unplaceable_bytes = std::numeric_limits<uint64_t>::max();

struct HeapPlacement {
  bool fits;       ///< false: wait until more has retired; the other fields mean nothing
  uint64_t begin;  ///< position of the first byte
  uint64_t end;    ///< position after the last byte, 0 at the end of the heap: the new top
  /// Without a live byte the ring started over at 0: from now on its tail is 0, not the end of the
  /// youngest retired buffer. The caller records that: it rewrites the end of that buffer, and of
  /// those behind it, which have no bytes and end where it did.
  bool restarted;
};

/// Bytes that one output of `bytes` bytes takes, unplaceable_bytes on overflow.
constexpr uint64_t packed_output_bytes(uint64_t bytes) {
  constexpr uint64_t mask = packed_output_alignment - 1;
  return bytes > unplaceable_bytes - mask ? unplaceable_bytes : (bytes + mask) & ~mask;
}

/// Bytes of a task's packed buffer extended by one output, unplaceable_bytes on overflow.
constexpr uint64_t packed_bytes_with(uint64_t packed, uint64_t output_bytes) {
  constexpr uint64_t mask = packed_output_alignment - 1;
  uint64_t sum = 0;
  if (__builtin_add_overflow(output_bytes, mask, &sum)) return unplaceable_bytes;
  if (__builtin_add_overflow(sum & ~mask, packed, &sum)) return unplaceable_bytes;
  return sum;
}

/// Places `bytes` bytes in a heap of `size` bytes. Requires top < size and tail < size.
constexpr HeapPlacement find_placement(uint64_t top, uint64_t tail, uint64_t size, uint64_t bytes) {
  constexpr HeapPlacement refused{false, 0, 0, false};
  if (bytes >= size) return refused;
  if (top < tail) {
    if (bytes >= tail - top) return refused;
    return {true, top, top + bytes, false};
  }
  const uint64_t before_end = size - top;
  if (bytes < before_end) return {true, top, top + bytes, false};
  if (bytes == before_end && tail != 0) return {true, top, 0, false};
  if (bytes < tail) return {true, 0, bytes, false};
  if (top == tail) return {true, 0, bytes, true};
  return refused;
}

}  // namespace pto2
