/// The bounded queue of the hardware policy: libcds's Vyukov MPMC queue.
#pragma once

#include <cds/algo/backoff_strategy.h>
#include <cds/container/vyukov_mpmc_cycle_queue.h>

#include <cstddef>
#include <optional>

namespace pto2::executors {

template <class T>
class VyukovQueue {
 public:
  /// `capacity` must be a power of two, at least 2.
  explicit VyukovQueue(std::size_t capacity) : queue_(capacity) {}

  /// False if the queue is full.
  [[nodiscard]] bool try_push(const T& value) { return queue_.enqueue(value); }
  [[nodiscard]] std::optional<T> try_pop() {
    T value;
    if (!queue_.dequeue(value)) return std::nullopt;
    return value;
  }

 private:
  struct Traits : cds::container::vyukov_queue::traits {
    // Push and pop retry only while another thread is between its two steps.
    using back_off = cds::backoff::pause;
    using item_counter = cds::atomicity::empty_item_counter;
  };
  cds::container::VyukovMPMCCycleQueue<T, Traits> queue_;
};

}  // namespace pto2::executors
