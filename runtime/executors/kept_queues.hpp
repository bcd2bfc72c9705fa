/// Empty queues that runs have done with, kept for the next one of the process: a queue of many
/// entries writes all of them when it is made, which takes longer than the rest of a small run.
///
///   KQ-I1: what is kept is empty, and nobody's.
///   KQ-I2: no more than most_queues are kept, with most_entries in all.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "runtime/executors/fork_locks.hpp"

namespace pto2::executors {

/// Of one type, which is made from its capacity, and has capacity() and empty().
template <class Queue>
class KeptQueues {
 public:
  static constexpr std::size_t most_queues = 64;
  static constexpr std::size_t most_entries = std::size_t{1} << 18;

  /// What the runs of this process share. It is never destroyed.
  static KeptQueues& of_process() {
    static auto* const queues = [] {
      auto* const kept = new KeptQueues;
      keep_from_forks(kept->mutex_);
      return kept;
    }();
    static_cast<void>(made_at_start);
    return *queues;
  }

  KeptQueues() { kept_.reserve(most_queues); }

  // From any OS thread.

  /// The queue of this capacity that was kept last, or a new one.
  [[nodiscard]] std::unique_ptr<Queue> take(std::size_t capacity) {
    {
      const std::lock_guard lock(mutex_);
      const auto found = std::find_if(kept_.rbegin(), kept_.rend(), [&](const auto& queue) {
        return queue->capacity() == capacity;
      });
      if (found != kept_.rend()) return remove(std::prev(found.base()));
    }
    return std::make_unique<Queue>(capacity);
  }

  /// Keeps a queue that nobody uses any more, or drops it: one that is not empty, and the oldest if
  /// there are too many.
  void keep(std::unique_ptr<Queue> queue) noexcept {
    if (!queue->empty() || queue->capacity() > most_entries) return;
    const std::lock_guard lock(mutex_);
    while (kept_.size() == most_queues || entries_ + queue->capacity() > most_entries) {
      (void)remove(kept_.begin());
    }
    entries_ += queue->capacity();
    kept_.push_back(std::move(queue));
  }

  [[nodiscard]] std::size_t entries() const {
    const std::lock_guard lock(mutex_);
    return entries_;
  }

 private:
  using Kept = std::vector<std::unique_ptr<Queue>>;

  static inline const KeptQueues& made_at_start = of_process();

  std::unique_ptr<Queue> remove(typename Kept::iterator place) noexcept {
    std::unique_ptr<Queue> queue = std::move(*place);
    kept_.erase(place);
    entries_ -= queue->capacity();
    return queue;
  }

  mutable std::mutex mutex_;
  Kept kept_;  // the oldest first
  std::size_t entries_ = 0;
};

}  // namespace pto2::executors
