/// The heap ring: one packed output buffer per task, in the order of the tasks.
///
///   top    position after the newest buffer
///   ends   per slot, the position after the task's buffer; without outputs, the current top
///   tail   derived whenever the watermark is observed: ends of task watermark - 1, 0 with nothing
///          reclaimed yet
///
/// Write rights: the orchestrator alone. No tail is stored by schedulers: two that advance the
/// watermark could store it out of order, and by then the slot may hold the next task.
///
///   HR-I1: a buffer is never reused while its task is not reclaimed.
///   HR-I2: full and empty are never confused: a ring with tasks alive has top != tail unless they
///          have no outputs.
///   HR-I3: no buffer crosses the end of the heap.
///   HR-I4: a ring without a live byte serves every request smaller than the heap.
///   HR-P1: there is an end per slot.
#pragma once

#include <span>

#include "core/assert.hpp"
#include "core/heap_layout.hpp"
#include "core/task_ring.hpp"

namespace pto2 {

class HeapRing {
 public:
  /// `ends` has one entry per slot of `ring` and outlives this object; `size` is in bytes.
  HeapRing(const TaskRing& ring, std::span<uint64_t> ends, uint64_t size)
      : ring_(&ring), ends_(ends), size_(size), room_(size) {
    PTO2_INVARIANT("HR-P1", ends.size() == ring.window());
  }

  [[nodiscard]] uint64_t size() const { return size_; }
  [[nodiscard]] uint64_t top() const { return top_; }

  /// The tail, given the watermark.
  [[nodiscard]] uint64_t tail(uint64_t alive) const {
    return alive == 0 ? 0 : ends_[ring_->slot(alive - 1)];
  }

  /// The task ring has observed the watermark.
  void observe() {
    tail_ = tail(ring_->alive());
    find_room();
  }

  /// True if `bytes` (a multiple of the output alignment) are free in one piece.
  [[nodiscard]] bool fits(uint64_t bytes) const { return bytes < room_ || placement(bytes).fits; }

  /// Where so many bytes would go.
  [[nodiscard]] HeapPlacement placement(uint64_t bytes) const {
    const HeapPlacement found = find_placement(top_, tail_, size_, bytes);
    PTO2_INVARIANT("HR-I4", found.fits || top_ != tail_ || bytes >= size_);
    return found;
  }

  /// Takes so many bytes for the next task of the ring, which notes its end then; returns the
  /// position of the first. Requires fits(bytes).
  uint64_t take(uint64_t bytes) {
    return is_room_behind_top(bytes) ? take_behind_top(bytes) : take_elsewhere(bytes);
  }
  // The two ways of it.
  [[nodiscard]] bool is_room_behind_top(uint64_t bytes) const { return bytes < room_; }
  uint64_t take_behind_top(uint64_t bytes) {
    const uint64_t begin = top_;
    top_ += bytes;
    room_ -= bytes;
    return begin;
  }
  [[gnu::noinline]] uint64_t take_elsewhere(uint64_t bytes) {
    const HeapPlacement placed = placement(bytes);
    PTO2_INVARIANT("HR-I3", placed.fits && placed.end <= size_);
    if (placed.restarted) start_over();
    top_ = placed.end;
    PTO2_INVARIANT("HR-I2", top_ != tail_);
    find_room();
    return placed.begin;
  }
  /// Of the task that has just taken something, or nothing, and whose slot this is.
  void note_end(uint32_t slot) { ends_[slot] = top_; }

  /// True if the ring is whole, given the watermark: the buffers of the tasks alive lie between
  /// tail and top, in order.
  [[nodiscard]] bool invariant_holds(uint64_t alive) const {
    uint64_t used = 0;
    uint64_t from = tail(alive);
    for (uint64_t task = alive; task < ring_->next(); ++task) {
      const uint64_t end = ends_[ring_->slot(task)];
      if (end >= size_) return false;
      used += end >= from ? end - from : size_ - from + end;
      from = end;
    }
    return from == top_ && used < size_ && tail_ == tail(ring_->alive()) &&
           room_ == (top_ < tail_ ? tail_ : size_) - top_;
  }

 private:
  /// Less than this fits behind the top, whatever else.
  void find_room() { room_ = (top_ < tail_ ? tail_ : size_) - top_; }

  /// No byte before the new buffer is live: the tail moves to 0 with it, and stays there while the
  /// tasks alive, which have no outputs, retire. A ring without retired tasks never starts over,
  /// because its top is 0.
  void start_over() {
    for (uint64_t task = ring_->alive() - 1; task < ring_->next(); ++task) {
      ends_[ring_->slot(task)] = 0;
    }
    tail_ = 0;
  }

  const TaskRing* ring_;
  std::span<uint64_t> ends_;
  uint64_t size_;
  uint64_t top_ = 0;
  uint64_t tail_ = 0;
  uint64_t room_;
};

}  // namespace pto2
