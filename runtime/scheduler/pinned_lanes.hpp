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
  /// Of scheduler `scheduler` of the chip, which outlives this object; empty.
  PinnedLanes(const Chip& chip, SchedulerId scheduler)
      : chip_(chip), scheduler_(scheduler), lanes_(chip.clusters_of(scheduler)) {}

  /// True if no task waits.
  [[nodiscard]] bool empty() const { return waiting_ == 0; }

  /// `part` of the task, if it is a block task.
  void put(ClusterId cluster, CoreType type, SlotId task, uint32_t part = 0) {
    PTO2_INVARIANT("PL-P1", chip_.scheduler_of(cluster) == scheduler_);
    lanes_[chip_.rank_of(cluster)][static_cast<uint32_t>(type)].push_back({task, part});
    ++waiting_;
  }

  /// Calls dispatch(cluster, type, task, part) with the first task of each lane, and again with the
  /// next one, until it returns false: the task stays.
  template <class Dispatch>
  void for_each_waiting(Dispatch&& dispatch) {
    for (uint32_t rank = 0; rank < lanes_.size(); ++rank) {
      const ClusterId cluster = chip_.cluster_of(scheduler_, rank);
      for (const CoreType type : {CoreType::cube, CoreType::vector}) {
        auto& lane = lanes_[rank][static_cast<uint32_t>(type)];
        while (!lane.empty() && dispatch(cluster, type, lane.front().task, lane.front().part)) {
          lane.pop_front();
          --waiting_;
        }
      }
    }
  }

 private:
  struct Entry {
    SlotId task;
    uint32_t part;
  };

  const Chip& chip_;
  SchedulerId scheduler_;
  std::vector<std::array<std::deque<Entry>, cluster_core_types>> lanes_;
  std::size_t waiting_ = 0;
};

}  // namespace pto2
