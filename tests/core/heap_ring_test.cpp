#include "core/heap_ring.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <random>
#include <vector>

namespace pto2 {
namespace {

constexpr uint64_t granule = packed_output_alignment;

struct Heap {
  explicit Heap(uint64_t units, uint32_t window = 8)
      : tasks(window), ends(window), ring(tasks, ends, units * granule) {}

  /// Submits a task with `units` units; its begin in units, or -1 if it does not fit.
  int64_t submit(uint64_t units) {
    if (!ring.fits(units * granule)) return -1;
    const uint64_t begin = ring.take(units * granule);
    ring.note_end(tasks.slot(tasks.take()));
    return static_cast<int64_t>(begin / granule);
  }

  void observe(uint64_t alive) {
    tasks.observe(alive);
    ring.observe();
  }

  TaskRing tasks;
  std::vector<uint64_t> ends;
  HeapRing ring;
};

TEST(HeapRing, BuffersFollowEachOther) {
  Heap heap(8);
  EXPECT_EQ(heap.submit(2), 0);
  EXPECT_EQ(heap.submit(3), 2);
  EXPECT_EQ(heap.submit(1), 5);
  EXPECT_EQ(heap.ring.top(), 6 * granule);
  EXPECT_EQ(heap.ring.tail(0), 0u);
  EXPECT_EQ(heap.ring.tail(2), 5 * granule);
}

TEST(HeapRing, AnExactFitWouldMakeFullLookEmpty) {
  Heap heap(4);
  EXPECT_EQ(heap.submit(3), 0);
  EXPECT_EQ(heap.submit(1), -1);
  heap.observe(1);
  EXPECT_EQ(heap.submit(1), 3) << "up to the end, the tail is elsewhere";
  EXPECT_EQ(heap.submit(3), -1) << "up to the tail";
  EXPECT_EQ(heap.submit(2), 0);
}

TEST(HeapRing, NoBufferCrossesTheEnd) {
  Heap heap(8);
  EXPECT_EQ(heap.submit(3), 0);
  EXPECT_EQ(heap.submit(3), 3);
  heap.observe(1);
  EXPECT_EQ(heap.submit(3), -1);
  EXPECT_EQ(heap.submit(2), 6) << "it ends at the end";
  heap.observe(2);
  EXPECT_EQ(heap.submit(3), 0);
}

TEST(HeapRing, ADrainedRingStartsOver) {
  Heap heap(8);
  EXPECT_EQ(heap.submit(4), 0);
  heap.observe(1);
  EXPECT_EQ(heap.submit(7), 0) << "fits on neither side of the middle";
  EXPECT_EQ(heap.ring.tail(1), 0u);
  EXPECT_EQ(heap.submit(1), -1);
  heap.observe(2);
  EXPECT_EQ(heap.submit(8), -1) << "as large as the heap: never";
}

/// And the tail stays at 0 while they retire.
TEST(HeapRing, StartsOverWhileTasksWithoutOutputsAreAlive) {
  Heap heap(8);
  EXPECT_EQ(heap.submit(5), 0);
  EXPECT_EQ(heap.submit(0), 5);
  EXPECT_EQ(heap.submit(6), -1) << "the first buffer is live";
  heap.observe(1);
  EXPECT_EQ(heap.submit(0), 5);
  EXPECT_EQ(heap.submit(6), 0);
  EXPECT_EQ(heap.submit(1), 6);
  for (uint64_t alive = 1; alive <= 3; ++alive) {
    heap.observe(alive);
    EXPECT_EQ(heap.ring.tail(alive), 0u) << alive;
    EXPECT_EQ(heap.submit(1), -1) << alive;
    EXPECT_TRUE(heap.ring.invariant_holds(alive)) << alive;
  }
  heap.observe(4);
  EXPECT_EQ(heap.submit(5), 0);
}

TEST(HeapRing, TasksWithoutOutputsKeepTheTailRight) {
  Heap heap(8);
  EXPECT_EQ(heap.submit(2), 0);
  EXPECT_EQ(heap.submit(0), 2);
  EXPECT_EQ(heap.submit(0), 2);
  heap.observe(3);
  EXPECT_EQ(heap.ring.tail(3), 2 * granule);
  EXPECT_EQ(heap.submit(5), 2);
}

/// Random sizes and retirements against an oracle that knows each live buffer.
TEST(HeapRing, LiveBuffersNeverOverlap) {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    const uint64_t units = 2 + random() % 12;
    Heap heap(units);
    std::deque<std::pair<uint64_t, uint64_t>> live;
    for (int step = 0; step < 200; ++step) {
      if (!live.empty() && random() % 2 == 0) {
        live.pop_front();
        heap.observe(heap.tasks.alive() + 1);
      } else if (heap.tasks.fits()) {
        const uint64_t size = random() % units;
        const int64_t begin = heap.submit(size);
        const auto has_bytes = [](const auto& buffer) { return buffer.second != 0; };
        if (std::none_of(live.begin(), live.end(), has_bytes)) {
          ASSERT_GE(begin, 0) << "a ring without a live byte serves it";
        }
        if (begin < 0) continue;
        const auto from = static_cast<uint64_t>(begin);
        ASSERT_LE(from + size, units);
        for (const auto& [other, other_size] : live) {
          ASSERT_TRUE(size == 0 || other_size == 0 || from + size <= other ||
                      other + other_size <= from);
        }
        live.emplace_back(from, size);
      }
      ASSERT_TRUE(heap.ring.invariant_holds(heap.tasks.alive()));
    }
  }
}

TEST(HeapRing, SeesEndsThatCannotBe) {
  Heap heap(8);
  EXPECT_EQ(heap.submit(2), 0);
  EXPECT_EQ(heap.submit(2), 2);
  EXPECT_TRUE(heap.ring.invariant_holds(0));
  const std::vector<uint64_t> ends = heap.ends;
  heap.ends[0] = 8 * granule;
  EXPECT_FALSE(heap.ring.invariant_holds(0)) << "past the end";
  heap.ends = ends;
  heap.ends[1] = 3 * granule;
  EXPECT_FALSE(heap.ring.invariant_holds(0)) << "the youngest does not end at the top";
  heap.ends = ends;
  heap.ends[0] = 5 * granule;
  EXPECT_FALSE(heap.ring.invariant_holds(0)) << "the live buffers go round";
}

TEST(HeapRingDeathTest, TakingWhatDoesNotFit) {
  Heap heap(2);
  EXPECT_DEATH(heap.ring.take(2 * granule), "HR-I3");
}

TEST(HeapRingDeathTest, EndsOfAnotherWindow) {
  const TaskRing tasks(8);
  std::vector<uint64_t> ends(4);
  EXPECT_DEATH(HeapRing(tasks, ends, granule), "HR-P1");
}

}  // namespace
}  // namespace pto2
