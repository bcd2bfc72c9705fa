/// The heap of a ring, as the places of its buffers tell of it.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace pto2::judging {

/// Buffers lie in the order of their tasks: each behind the one before it, or at the start of the
/// heap if it does not fit before the end. A ring whose tasks alive have no bytes has all of its
/// heap, and starts over at 0 when what is left before the end and after the start is too short.
/// The bytes in use, with those that were skipped at the end, are never as many as the heap has.
class HeapBooks {
 public:
  /// `size` in bytes, not 0.
  explicit HeapBooks(uint64_t size) : size_(size) {}

  /// There will be so many tasks.
  void reserve(std::size_t tasks) { tails_.reserve(tasks); }

  /// The next task has `bytes` from `begin` on; without bytes `begin` means nothing. After a range
  /// that does not lie in the heap nothing is known of it any more.
  void add(uint64_t begin, uint64_t bytes);

  /// Tasks, from the first on, that were reclaimed before the last one was added, because
  /// otherwise there had been no room for the buffers that have come since.
  [[nodiscard]] uint64_t reclaimed() const { return reclaimed_; }

  /// Whether the next task would have got `bytes` when all but the first `alive` tasks had their
  /// buffers, at least reclaimed() of them. False if nothing is known of the heap.
  [[nodiscard]] bool has_room(uint64_t bytes, uint64_t alive) const;

 private:
  /// A position on the way of the buffers around the heap; `at` is less than its size.
  struct Position {
    uint64_t lap = 0;
    uint64_t at = 0;
    friend auto operator<=>(const Position&, const Position&) = default;
  };

  uint64_t size_;
  Position top_;  ///< behind the last buffer
  /// Where the bytes in use begin when the task is the first one alive: behind the buffer before
  /// it, or, if the ring started over with the next buffer, at that one.
  std::vector<Position> tails_;
  uint64_t reclaimed_ = 0;
  bool known_ = true;
};

}  // namespace pto2::judging
