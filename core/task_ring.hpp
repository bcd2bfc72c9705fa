/// The task ring: slots of a window of consecutive tasks.
///
///   window   number of slots, a power of two, 2..2^20
///   next     local id of the next task; slot = id & (window - 1)
///
/// Write rights: the orchestrator alone; it reads the watermark (watermark.hpp) as the ring's
/// tail. Schedulers learn of a slot from the hand-over of its task, never from this object.
///
///   TR-I1: next - watermark < window: a slot is taken only after its former task was reclaimed.
///   TR-I2: at most window - 1 tasks are alive, so that task watermark - 1 is still readable: the
///          tails of the heap ring and of the dependency pool are derived from it.
///   TR-I3: local ids are consecutive.
///   TR-P1: the window is a power of two in 2..2^20.
#pragma once

#include "core/assert.hpp"
#include "core/task_id.hpp"

namespace pto2 {

class TaskRing {
 public:
  /// TR-P1
  explicit TaskRing(uint32_t window) : window_(window) {
    PTO2_INVARIANT("TR-P1", window >= 2 && window <= max_ring_entries);
    PTO2_INVARIANT("TR-P1", (window & (window - 1)) == 0);
  }

  [[nodiscard]] uint32_t window() const { return static_cast<uint32_t>(window_); }
  [[nodiscard]] uint64_t next() const { return next_; }
  [[nodiscard]] uint32_t slot(uint64_t local) const {
    return static_cast<uint32_t>(local & (window_ - 1));
  }

  /// True if a slot is free, given the watermark.
  [[nodiscard]] bool fits(uint64_t alive) const { return next_ - alive < window_ - 1; }

  /// Takes the next slot. Requires fits(alive).
  uint64_t take(uint64_t alive) {
    PTO2_INVARIANT("TR-I2", fits(alive));
    return next_++;
  }

  /// Tasks that are not reclaimed.
  [[nodiscard]] uint64_t active(uint64_t alive) const { return next_ - alive; }

  /// True if the ring is whole, given the watermark.
  [[nodiscard]] bool invariant_holds(uint64_t alive) const {
    return alive <= next_ && active(alive) < window_;
  }

 private:
  uint64_t window_;
  uint64_t next_ = 0;
};

}  // namespace pto2
