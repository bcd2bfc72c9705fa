/// The bounded queue of the hardware policy: libcds's Vyukov MPMC queue.
#pragma once

#include <cds/algo/backoff_strategy.h>
#include <cds/container/vyukov_mpmc_cycle_queue.h>

#include <cstddef>
#include <memory>
#include <utility>

#include "runtime/executors/kept_queues.hpp"

namespace pto2::executors {

template <class T>
class VyukovQueue {
  struct Traits : cds::container::vyukov_queue::traits {
    // Push and pop retry only while another thread is between its two steps.
    using back_off = cds::backoff::pause;
    using item_counter = cds::atomicity::empty_item_counter;
  };
  using Queue = cds::container::VyukovMPMCCycleQueue<T, Traits>;

 public:
  using Kept = KeptQueues<Queue>;

  /// `capacity` must be a power of two, at least 2.
  explicit VyukovQueue(std::size_t capacity) : queue_(Kept::of_process().take(capacity)) {}

  /// False if the queue is full.
  [[nodiscard]] bool try_push(const T& value) { return queue_->enqueue(value); }
  /// False if the queue is empty.
  [[nodiscard]] bool try_pop(T& value) { return queue_->dequeue(value); }

  /// Nobody uses the queue any more, not even this one: the next run may have it.
  void keep_for_the_next() noexcept { Kept::of_process().keep(std::move(queue_)); }

 private:
  std::unique_ptr<Queue> queue_;
};

}  // namespace pto2::executors
