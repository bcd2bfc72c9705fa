#include "runtime/orchestrator/deadlock_report.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace pto2 {
namespace {

constexpr uint64_t kib = 1024;

/// A ring of eight tasks that took `buffers`, of which `reclaimed` are gone.
uint64_t largest(uint64_t size, const std::vector<uint64_t>& buffers, uint64_t reclaimed) {
  TaskRing tasks(8);
  std::vector<uint64_t> ends(8);
  HeapRing heap(tasks, ends, size);
  for (const uint64_t bytes : buffers) {
    heap.take(heap.placement(bytes, 0), 0);
    (void)tasks.take(0);
  }
  return largest_request(heap, reclaimed);
}

TEST(LargestRequest, OfADrainedHeapIsAllButTheLastByte) {
  EXPECT_EQ(largest(8 * kib, {}, 0), 7 * kib);
  EXPECT_EQ(largest(8 * kib + 1, {}, 0), 8 * kib);
  EXPECT_EQ(largest(8 * kib, {5 * kib}, 1), 7 * kib);
  EXPECT_EQ(largest(kib, {}, 0), 0U);
}

TEST(LargestRequest, IsTheLargerOfTheRoomsBeforeTheEndAndBeforeTheTail) {
  EXPECT_EQ(largest(8 * kib, {5 * kib}, 0), 2 * kib) << "an exact fit looks empty";
  EXPECT_EQ(largest(8 * kib, {2 * kib, 2 * kib}, 1), 4 * kib) << "the end is position 0";
  EXPECT_EQ(largest(8 * kib, {5 * kib, 2 * kib}, 1), 4 * kib) << "before the tail";
}

}  // namespace
}  // namespace pto2
