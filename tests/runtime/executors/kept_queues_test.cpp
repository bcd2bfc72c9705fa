#include "runtime/executors/kept_queues.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "runtime/executors/vyukov_queue.hpp"
#include "tests/support/popped.hpp"

namespace pto2::executors {
namespace {

/// Tells when it is dropped.
class CountedQueue {
 public:
  explicit CountedQueue(std::size_t capacity) : capacity_(capacity) { ++alive; }
  ~CountedQueue() { --alive; }
  CountedQueue(const CountedQueue&) = delete;
  CountedQueue& operator=(const CountedQueue&) = delete;

  [[nodiscard]] std::size_t capacity() const { return capacity_; }
  [[nodiscard]] bool empty() const { return !has_left; }

  bool has_left = false;
  static inline int alive = 0;

 private:
  std::size_t capacity_;
};

using Kept = KeptQueues<CountedQueue>;

TEST(KeptQueues, TheLastOfTheCapacityIsGivenOutAgain) {
  Kept kept;
  auto first = kept.take(8);
  auto second = kept.take(8);
  auto other = kept.take(16);
  const CountedQueue* const last = second.get();
  const CountedQueue* const larger = other.get();
  kept.keep(std::move(first));
  kept.keep(std::move(second));
  kept.keep(std::move(other));
  EXPECT_EQ(kept.entries(), 32u);
  const auto again = kept.take(8);
  EXPECT_EQ(again.get(), last);
  EXPECT_EQ(kept.take(16).get(), larger);
  EXPECT_EQ(kept.entries(), 8u);
  EXPECT_EQ(kept.take(4)->capacity(), 4u);
  EXPECT_EQ(kept.entries(), 8u) << "a new one";
}

TEST(KeptQueues, WhatIsNotEmptyIsDropped) {
  Kept kept;
  auto queue = kept.take(8);
  queue->has_left = true;
  kept.keep(std::move(queue));
  EXPECT_EQ(kept.entries(), 0u);
  EXPECT_EQ(CountedQueue::alive, 0);
}

TEST(KeptQueues, TheOldestGoWhenThereAreTooMany) {
  Kept kept;
  const auto keep = [&](std::size_t capacity) {
    kept.keep(std::make_unique<CountedQueue>(capacity));
  };
  for (std::size_t i = 1; i <= Kept::most_queues + 1; ++i) keep(i);
  EXPECT_EQ(CountedQueue::alive, static_cast<int>(Kept::most_queues));
  const std::size_t before = kept.entries();
  (void)kept.take(1);
  EXPECT_EQ(kept.entries(), before) << "the first has gone";
  (void)kept.take(2);
  EXPECT_EQ(kept.entries(), before - 2);
  keep(Kept::most_entries);
  EXPECT_EQ(kept.entries(), Kept::most_entries) << "all others have gone";
  keep(Kept::most_entries + 1);
  EXPECT_EQ(kept.entries(), Kept::most_entries) << "too large to be kept";
  EXPECT_EQ(CountedQueue::alive, 1);
}

TEST(KeptQueues, AQueueOfThreadsGoesOnWhereItWas) {
  using Queue = VyukovQueue<uint32_t>;
  constexpr std::size_t capacity = 1 << 10;  // of no other test
  const auto use = [&] {
    Queue queue(capacity);
    for (uint32_t i = 0; i < capacity / 4 * 3; ++i) EXPECT_TRUE(queue.try_push(i));
    for (uint32_t i = 0; i < capacity / 4 * 3; ++i) EXPECT_EQ(test::popped<uint32_t>(queue), i);
    EXPECT_EQ(test::popped<uint32_t>(queue), std::nullopt);
    queue.keep_for_the_next();
  };
  const std::size_t before = Queue::Kept::of_process().entries();
  for (int run = 0; run < 10; ++run) {
    use();
    EXPECT_EQ(Queue::Kept::of_process().entries(), before + capacity);
  }
  std::jthread(use).join();
  EXPECT_EQ(Queue::Kept::of_process().entries(), before + capacity);
}

}  // namespace
}  // namespace pto2::executors
