/// Ready queues: the ready tasks of one core type, in shards, with stealing.
///
/// Every scheduler owns a shard; the orchestrator has a queue for the tasks that it makes ready
/// itself, into which nobody else pushes. A pop tries the own shard, then the orchestrator's queue,
/// then steals from the others.
///
///   RQ-I1: each ready task is popped exactly once.
///   RQ-I2: nothing is dropped: a push to a full shard goes to the next one, and reports failure
///          only when all are full; one to the orchestrator's queue does when that is. The pusher
///          keeps the task then.
///   RQ-I3: what the pusher wrote happens before the pop's return.
///   RQ-P1: a push or a pop begins at one of the shards.
///
/// Progress: that of the bounded queue, for the pusher and the popper alike.
#pragma once

#include <span>

#include "core/assert.hpp"
#include "core/orchestrator_queue.hpp"
#include "core/policy.hpp"
#include "core/task_id.hpp"

namespace pto2 {

/// A popped task, and whether it came from another owner's shard.
struct ReadyTask {
  SlotId slot;
  bool stolen;
};

template <Policy P>
class ReadyQueues {
 public:
  using Queue = typename P::template bounded_queue<SlotId>;

  /// All of it outlives this object; there is at least one shard, unless it is not used.
  ReadyQueues(std::span<Queue* const> shards, OrchestratorQueue<P>& orchestrators)
      : shards_(shards), orchestrators_(orchestrators) {}

  /// Pushes to `shard`, or to the next with room. False: all are full, keep the task.
  [[nodiscard]] bool push(uint32_t shard, SlotId slot) {
    PTO2_INVARIANT("RQ-P1", shard < shards_.size());
    if (shards_[shard]->try_push(slot)) [[likely]]
      return true;
    return push_behind(shard, slot);
  }

  /// By the orchestrator, to its queue. False: that is full.
  [[nodiscard]] bool push_orchestrators(SlotId slot) { return orchestrators_.try_push(slot); }

  /// Pops from `shard`, the orchestrator's, then the others in turn. False: all are empty, and
  /// `task` is untouched.
  [[nodiscard]] bool pop(uint32_t shard, ReadyTask& task) {
    PTO2_INVARIANT("RQ-P1", shard < shards_.size());
    const bool is_at_hand = pop_from(shard, task.slot) || pop_orchestrators(task.slot);
    if (!is_at_hand && !steal(shard, task.slot)) return false;
    task.stolen = !is_at_hand;
    return true;
  }

  // The three parts of that.

  [[nodiscard, gnu::always_inline]] bool pop_from(uint32_t shard, SlotId& slot) {
    return shards_[shard]->try_pop(slot);
  }
  [[nodiscard, gnu::always_inline]] bool pop_orchestrators(SlotId& slot) {
    return orchestrators_.try_pop(slot);
  }
  [[nodiscard]] bool steal(uint32_t shard, SlotId& slot) {
    for (uint32_t victim = shard + 1; victim < shards_.size(); ++victim) {
      if (shards_[victim]->try_pop(slot)) return true;
    }
    for (uint32_t victim = 0; victim < shard; ++victim) {
      if (shards_[victim]->try_pop(slot)) return true;
    }
    return false;
  }

  /// True if every shard is there, and none twice. What is inside is the queue's own affair.
  [[nodiscard]] bool invariant_holds() const {
    for (std::size_t i = 0; i < shards_.size(); ++i) {
      if (shards_[i] == nullptr) return false;
      for (std::size_t j = 0; j < i; ++j) {
        if (shards_[i] == shards_[j]) return false;
      }
    }
    return !shards_.empty() && orchestrators_.invariant_holds();
  }

 private:
  /// Pushes to the next shard with room behind `shard`, which is full.
  [[nodiscard, gnu::noinline]] bool push_behind(uint32_t shard, SlotId slot) {
    for (uint32_t i = 1; i < shards_.size(); ++i) {
      if (shards_[wrap(shard + i)]->try_push(slot)) return true;
    }
    return false;
  }
  [[nodiscard]] uint32_t wrap(uint32_t shard) const {
    const auto n = static_cast<uint32_t>(shards_.size());
    return shard < n ? shard : shard - n;
  }

  std::span<Queue* const> shards_;
  OrchestratorQueue<P>& orchestrators_;
};

}  // namespace pto2
