/// The task ring: slots of a window of consecutive tasks.
///
///   window   number of slots, a power of two, 2..2^20
///   next     local id of the next task; slot = id & (window - 1)
///   alive    the watermark (watermark.hpp) as it was last observed: the ring's tail
///
/// Write rights: the orchestrator alone. Schedulers learn of a slot from the hand-over of its task,
/// never from this object.
///
///   TR-I1: next - watermark < window: a slot is taken only after its former task was reclaimed.
///   TR-I2: at most window - 1 tasks are alive, so that task watermark - 1 is still readable: the
///          tails of the heap ring and of the dependency pool are derived from it.
///   TR-I3: local ids are consecutive.
///   TR-P1: the window is a power of two in 2..2^20.
#pragma once

#include <algorithm>

#include "core/assert.hpp"
#include "core/task_id.hpp"

namespace pto2 {

class TaskRing {
 public:
  /// TR-P1
  explicit TaskRing(uint32_t window) : mask_(window - 1) {
    PTO2_INVARIANT("TR-P1", window >= 2 && window <= max_ring_entries);
    PTO2_INVARIANT("TR-P1", (window & (window - 1)) == 0);
  }

  [[nodiscard]] uint32_t window() const { return static_cast<uint32_t>(mask_ + 1); }
  [[nodiscard]] uint64_t next() const { return next_; }
  [[nodiscard]] uint32_t slot(uint64_t local) const { return static_cast<uint32_t>(local & mask_); }

  /// Takes note of the watermark, which is at most next().
  void observe(uint64_t alive) {
    most_active_ = most_active();
    alive_ = alive;
  }
  /// The watermark that was observed last.
  [[nodiscard]] uint64_t alive() const { return alive_; }

  /// True if a slot is free.
  [[nodiscard]] bool fits() const { return next_ - alive_ < mask_; }

  /// Takes the next slot. Requires fits().
  uint64_t take() {
    PTO2_INVARIANT("TR-I2", fits());
    return next_++;
  }

  /// Tasks that are not reclaimed, given the watermark.
  [[nodiscard]] uint64_t active(uint64_t alive) const { return next_ - alive; }

  /// Most tasks that were alive at a time, by what was observed: they only grow in between.
  [[nodiscard]] uint64_t most_active() const { return std::max(most_active_, active(alive_)); }

  /// True if the ring is whole, given the watermark.
  [[nodiscard]] bool invariant_holds(uint64_t alive) const {
    return alive <= next_ && active(alive) <= mask_;
  }

 private:
  uint64_t mask_;  // window - 1
  uint64_t next_ = 0;
  uint64_t alive_ = 0;
  uint64_t most_active_ = 0;
};

}  // namespace pto2
