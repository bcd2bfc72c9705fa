// libcds's bounded queue as the ready queues need it: header and library found, FIFO, no element
// lost when full, each element popped once by concurrent consumers.
#include <cds/container/vyukov_mpmc_cycle_queue.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

namespace {

struct Traits : cds::container::vyukov_queue::traits {
  using back_off = cds::backoff::yield;
};
using Queue = cds::container::VyukovMPMCCycleQueue<int, Traits>;

TEST(LibCds, QueueIsFirstInFirstOut) {
  Queue queue(4);
  for (int value = 0; value < 4; ++value) EXPECT_TRUE(queue.enqueue(value));
  for (int expected = 0; expected < 4; ++expected) {
    int value = -1;
    EXPECT_TRUE(queue.dequeue(value));
    EXPECT_EQ(value, expected);
  }
}

TEST(LibCds, FullAndEmptyAreRefusedAndLoseNothing) {
  Queue queue(2);
  int value = -1;
  EXPECT_FALSE(queue.dequeue(value));
  EXPECT_TRUE(queue.enqueue(1));
  EXPECT_TRUE(queue.enqueue(2));
  EXPECT_FALSE(queue.enqueue(3));
  EXPECT_TRUE(queue.dequeue(value));
  EXPECT_EQ(value, 1);
  EXPECT_TRUE(queue.dequeue(value));
  EXPECT_EQ(value, 2);
  EXPECT_FALSE(queue.dequeue(value));
}

TEST(LibCds, EachElementIsPoppedOnceByConcurrentConsumers) {
  constexpr int kPerProducer = 20000;
  constexpr int kProducers = 2;
  Queue queue(64);
  std::vector<std::atomic<int>> popped(static_cast<std::size_t>(kPerProducer * kProducers));
  std::atomic<int> remaining{kPerProducer * kProducers};
  const auto produce = [&](int first) {
    for (int value = first; value < first + kPerProducer; ++value) {
      while (!queue.enqueue(value)) std::this_thread::yield();
    }
  };
  const auto consume = [&] {
    while (remaining.load() > 0) {
      int value = -1;
      if (queue.dequeue(value)) {
        popped[static_cast<std::size_t>(value)].fetch_add(1);
        remaining.fetch_sub(1);
      } else {
        std::this_thread::yield();
      }
    }
  };
  {
    const std::array<std::jthread, 4> threads{std::jthread(produce, 0),
                                              std::jthread(produce, kPerProducer),
                                              std::jthread(consume), std::jthread(consume)};
  }
  for (const auto& count : popped) ASSERT_EQ(count.load(), 1);
}

}  // namespace
