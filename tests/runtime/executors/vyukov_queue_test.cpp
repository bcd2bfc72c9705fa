#include "runtime/executors/vyukov_queue.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <thread>
#include <vector>

#include "tests/support/guarded_tests.hpp"
#include "tests/support/popped.hpp"

namespace pto2::executors {
namespace {

using test::popped;

TEST(VyukovQueue, KeepsOrderAndTellsFullFromEmpty) {
  for (const std::size_t capacity : {2u, 4u, 16u}) {
    VyukovQueue<uint32_t> queue(capacity);
    uint32_t next = 0;
    for (int round = 0; round < 5; ++round) {
      EXPECT_EQ(popped<uint32_t>(queue), std::nullopt);
      const uint32_t first = next;
      for (std::size_t i = 0; i < capacity; ++i) EXPECT_TRUE(queue.try_push(next++));
      EXPECT_FALSE(queue.try_push(99'999));
      for (uint32_t i = first; i < next; ++i) EXPECT_EQ(popped<uint32_t>(queue), i);
    }
  }
}

/// Pushers and poppers side by side: every value comes out once, those of one pusher in order.
TEST(VyukovQueue, EachValueComesOutOnce) {
  constexpr uint32_t pushers = 2;
  constexpr uint32_t poppers = 2;
  constexpr uint32_t each = 5'000;
  VyukovQueue<uint32_t> queue(4);
  std::vector<std::atomic<uint32_t>> times(pushers * each);
  std::atomic<uint32_t> total{0};
  {
    std::vector<std::jthread> threads;
    for (uint32_t p = 0; p < pushers; ++p) {
      threads.emplace_back([&, p] {
        for (uint32_t i = 0; i < each; ++i) {
          while (!queue.try_push(p * each + i)) std::this_thread::yield();
        }
      });
    }
    for (uint32_t c = 0; c < poppers; ++c) {
      threads.emplace_back([&] {
        std::array<int64_t, pushers> last;
        last.fill(-1);
        while (total.load() < pushers * each) {
          uint32_t value;
          if (!queue.try_pop(value)) {
            std::this_thread::yield();
            continue;
          }
          EXPECT_LT(last[value / each], static_cast<int64_t>(value));
          last[value / each] = value;
          ++times[value];
          ++total;
        }
      });
    }
  }
  for (auto& count : times) ASSERT_EQ(count.load(), 1u);
  EXPECT_EQ(popped<uint32_t>(queue), std::nullopt);
}

}  // namespace
}  // namespace pto2::executors
