/// The pinned tasks, and pinned parts of tasks, that a scheduler has taken from its inbox and not
/// dispatched yet: a lane per cluster of the scheduler and core type, first in, first out.
///
///   PL-I1: a task is in the lane of its cluster and type, until it is taken from there.
///   PL-P1: the cluster is one of the scheduler's.
#pragma once

#include <array>
#include <deque>
#include <vector>

#include "core/assert.hpp"
#include "core/task_id.hpp"
#include "runtime/chip/chip.hpp"

namespace pto2 {

class PinnedLanes {
 public:
  /// Of scheduler `scheduler` of the chip; empty.
  PinnedLanes(const Chip& chip, uint32_t scheduler)
      : schedulers_(chip.schedulers),
        scheduler_(scheduler),
        lanes_((chip.blocks - scheduler + chip.schedulers - 1) / chip.schedulers) {}

  /// True if no task waits.
  [[nodiscard]] bool empty() const { return waiting_ == 0; }

  /// `part` of the task, if it is a block task.
  void put(uint32_t cluster, CoreType type, Place task, uint32_t part = 0) {
    PTO2_INVARIANT("PL-P1", cluster % schedulers_ == scheduler_);
    lanes_[cluster / schedulers_][static_cast<uint32_t>(type)].push_back({task, part});
    ++waiting_;
  }

  /// Calls dispatch(cluster, type, task, part) with the first task of each lane, and again with the
  /// next one, until it returns false: the task stays.
  template <class Dispatch>
  void for_each_waiting(Dispatch&& dispatch) {
    for (uint32_t i = 0; i < lanes_.size(); ++i) {
      for (const CoreType type : {CoreType::cube, CoreType::vector}) {
        auto& lane = lanes_[i][static_cast<uint32_t>(type)];
        while (!lane.empty() &&
               dispatch(scheduler_ + i * schedulers_, type, lane.front().task, lane.front().part)) {
          lane.pop_front();
          --waiting_;
        }
      }
    }
  }

 private:
  struct Entry {
    Place task;
    uint32_t part;
  };

  uint32_t schedulers_;
  uint32_t scheduler_;
  std::vector<std::array<std::deque<Entry>, core_types>> lanes_;
  std::size_t waiting_ = 0;
};

}  // namespace pto2
