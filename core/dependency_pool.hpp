/// The dependency pool: a ring of fan-out nodes, those of one task consecutive.
///
///   top     nodes ever taken; node i of the pool's life is at index 1 + i mod capacity, of which
///           the next one's is kept
///   marks   per slot, top after the task took its nodes
///   tail    derived whenever the watermark is observed: marks of task watermark - 1
///
/// Write rights: the orchestrator alone. A node belongs to the consumer and is on the list of its
/// producer; it is free once the consumer is reclaimed, which needs its producers completed.
///
///   DP-I1: no node is reused while its task is not reclaimed.
///   DP-I2: top - tail <= capacity.
///   DP-P1: there is a mark per slot, and the capacity is 1..2^20 - 1.
#pragma once

#include <span>

#include "core/assert.hpp"
#include "core/task_ring.hpp"

namespace pto2 {

class DependencyPool {
 public:
  /// `marks` has one entry per slot of `ring` and outlives this object; `capacity` is in nodes,
  /// 1..2^20 - 1.
  DependencyPool(const TaskRing& ring, std::span<uint64_t> marks, uint32_t capacity)
      : ring_(&ring), marks_(marks), capacity_(capacity), end_(capacity) {
    PTO2_INVARIANT("DP-P1", marks.size() == ring.window());
    PTO2_INVARIANT("DP-P1", capacity >= 1 && capacity < max_ring_entries);
  }

  /// The tail, given the watermark.
  [[nodiscard]] uint64_t tail(uint64_t alive) const {
    return alive == 0 ? 0 : marks_[ring_->slot(alive - 1)];
  }
  /// Nodes that are taken, given the watermark.
  [[nodiscard]] uint64_t used(uint64_t alive) const { return top_ - tail(alive); }

  /// The task ring has observed the watermark.
  void observe() { end_ = tail(ring_->alive()) + capacity_; }

  /// True if `n` nodes are free.
  [[nodiscard]] bool fits(uint64_t n) const { return top_ + n <= end_; }

  /// Takes `n` nodes for the next task of the ring, which sets its mark then; returns the index of
  /// the first in the pool's array, whose entry 0 stays unused. Requires fits(n).
  uint32_t take(uint64_t n) {
    PTO2_INVARIANT("DP-I2", fits(n));
    const uint64_t first = next_index_;
    next_index_ += n;
    if (next_index_ > capacity_) next_index_ -= capacity_;
    top_ += n;
    return static_cast<uint32_t>(first);
  }
  /// Of the task that has just taken some, or none, and whose slot this is.
  void set_mark(uint32_t slot) { marks_[slot] = top_; }

  /// True if the pool is whole, given the watermark: the marks of the tasks alive grow from tail
  /// to top.
  [[nodiscard]] bool invariant_holds(uint64_t alive) const {
    uint64_t from = tail(alive);
    for (uint64_t task = alive; task < ring_->next(); ++task) {
      const uint64_t mark = marks_[ring_->slot(task)];
      if (mark < from) return false;
      from = mark;
    }
    return from == top_ && used(alive) <= capacity_ && next_index_ == 1 + top_ % capacity_ &&
           end_ == tail(ring_->alive()) + capacity_;
  }

 private:
  const TaskRing* ring_;
  std::span<uint64_t> marks_;
  uint64_t capacity_;
  uint64_t top_ = 0;
  uint64_t end_;  // of those that may be taken: the tail and the capacity
  uint64_t next_index_ = 1;
};

}  // namespace pto2
