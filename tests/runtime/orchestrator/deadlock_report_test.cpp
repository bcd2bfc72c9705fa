#include "runtime/orchestrator/deadlock_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace pto2 {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

constexpr uint64_t kib = 1024;

/// A ring of eight tasks that took `buffers`, of which `reclaimed` are gone.
uint64_t largest(uint64_t size, const std::vector<uint64_t>& buffers, uint64_t reclaimed) {
  TaskRing tasks(8);
  std::vector<uint64_t> ends(8);
  HeapRing heap(tasks, ends, size);
  for (const uint64_t bytes : buffers) {
    (void)heap.take(bytes);
    heap.note_end(tasks.slot(tasks.take()));
  }
  tasks.observe(reclaimed);
  heap.observe();
  return largest_request(heap);
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

TEST(RefusalOfSize, IsThatOfTheConfiguration) {
  const DeviceConfig config;
  const auto refusal = [&](Resource resource, uint64_t size) {
    return refusal_of_size(config, resource, size);
  };
  EXPECT_EQ(refusal(Resource::task_ring, window_range.high), "");
  EXPECT_THAT(refusal(Resource::task_ring, 2 * window_range.high), HasSubstr("window is 2097152"));
  EXPECT_EQ(refusal(Resource::heap_ring, heap_range.high), "");
  EXPECT_THAT(refusal(Resource::heap_ring, heap_range.high + 1), HasSubstr("heap is"));
  EXPECT_THAT(refusal(Resource::dependency_pool, dep_pool_range.high + 1),
              HasSubstr("dep-pool is 1048576"));
  EXPECT_EQ(refusal(Resource::tensormap_pool, tensormap_pool_range.high), "");
  EXPECT_THAT(refusal(Resource::tensormap_pool, tensormap_pool_range.high + 1),
              HasSubstr("tensormap-pool is"));
  EXPECT_EQ(refusal(Resource::clusters, max_clusters), "");
  EXPECT_THAT(refusal(Resource::clusters, max_clusters + 1), HasSubstr("blocks is 1025"));
}

TEST(RefusalOfSize, LooksAtTheOtherSettings) {
  DeviceConfig config;
  config.dep_pool = 1 << 19;
  EXPECT_THAT(refusal_of_size(config, Resource::task_ring, 1 << 20),
              HasSubstr("consumers at a time"));
  config.chip.cubes_per_cluster = config.chip.vectors_per_cluster = 4;
  EXPECT_EQ(refusal_of_size(config, Resource::clusters, 512), "");
  EXPECT_THAT(refusal_of_size(config, Resource::clusters, 513), HasSubstr("at most 4096"));
}

/// A pool is refused for the window beside it, and a larger one for the pool.
TEST(RefusalOfSize, AsksForThePoolThatItIsTold) {
  DeviceConfig config;
  config.tensormap_pool = 17;
  config.dep_pool = 16;
  EXPECT_EQ(refusal_of_size(config, Resource::dependency_pool, 17), "");
  config.window = 1 << 20;
  config.dep_pool = 1 << 10;
  EXPECT_EQ(refusal_of_size(config, Resource::dependency_pool, 1 << 11), "");
  EXPECT_THAT(refusal_of_size(config, Resource::dependency_pool, 1 << 19),
              HasSubstr("dep-pool 524288 and rings"));
}

TEST(RefusalOfSize, IsNotFooledByASizeBeyond32Bits) {
  constexpr uint64_t wraps_to_64 = (uint64_t{1} << 32) + 64;
  for (const Resource resource : {Resource::task_ring, Resource::dependency_pool,
                                  Resource::tensormap_pool, Resource::clusters}) {
    EXPECT_NE(refusal_of_size({}, resource, wraps_to_64), "") << resource_name(resource);
  }
}

std::string hint_of(Resource resource, std::optional<uint64_t> sufficient,
                    const std::string& refusal, bool is_smallest) {
  Deadlock deadlock;
  deadlock.resource = resource;
  deadlock.sufficient = sufficient;
  deadlock.refusal = refusal;
  deadlock.is_smallest = is_smallest;
  return describe_deadlock(deadlock).hint;
}

/// The lines of the original, in its order.
TEST(Message, SaysTheRootCauseAndEndsBeforeTheSolution) {
  Deadlock deadlock;
  deadlock.resource = Resource::task_ring;
  deadlock.oldest = make_id(RingId(0), 1);
  EXPECT_THAT(describe_deadlock(deadlock).message,
              EndsWith("Root Cause:\n"
                       "Tasks cannot transition to CONSUMED state because fanout_count\n"
                       "includes 1 for the owning scope, and scope_end() requires the\n"
                       "orchestrator to continue — creating a circular dependency.\n"
                       "Solution:"));
  deadlock.resource = Resource::clusters;
  EXPECT_THAT(describe_deadlock(deadlock).message, EndsWith("\nSolution:"));
}

std::string message_of(Resource resource, uint64_t requested, uint64_t size, TaskId oldest) {
  Deadlock deadlock;
  deadlock.resource = resource;
  deadlock.requested = requested;
  deadlock.size = size;
  deadlock.oldest = oldest;
  return describe_deadlock(deadlock).message;
}

/// Whatever is alive: the end of its scope would not help. A heap is never filled to the last byte.
TEST(Message, OfARequestThatIsTooLargeNamesNoScope) {
  const TaskId oldest = make_id(RingId(0), 1);
  const auto too_large = AllOf(HasSubstr("the request alone is too large for it\nRoot Cause:\n"),
                               HasSubstr("One task asks for more than there can ever be."),
                               Not(HasSubstr("scope")), Not(HasSubstr("SCOPE")));
  const auto held = AllOf(HasSubstr("which waits for scope_end of the scope at depth 0"),
                          HasSubstr("scope_end() requires"), Not(HasSubstr("too large")));
  EXPECT_THAT(message_of(Resource::heap_ring, 4096, 4096, oldest), too_large);
  EXPECT_THAT(message_of(Resource::heap_ring, 4096, 4096, oldest), Not(HasSubstr("is empty")));
  EXPECT_THAT(message_of(Resource::heap_ring, 4096, 4096, no_task), too_large);
  EXPECT_THAT(message_of(Resource::heap_ring, 3072, 4096, oldest), held);
  for (const Resource pool : {Resource::dependency_pool, Resource::tensormap_pool}) {
    EXPECT_THAT(message_of(pool, 17, 16, oldest), too_large) << resource_name(pool);
    EXPECT_THAT(message_of(pool, 17, 16, no_task), too_large) << resource_name(pool);
    EXPECT_THAT(message_of(pool, 16, 16, oldest), held) << resource_name(pool);
  }
  EXPECT_THAT(message_of(Resource::task_ring, 1, 4, oldest), held);
}

TEST(Hint, NamesTheSizeAndWhatToChangeInstead) {
  EXPECT_EQ(hint_of(Resource::task_ring, 16, "", true),
            "Recommended: 16 (the smallest that works): --window 16 or PTO2_RING_TASK_WINDOW=16; "
            "or fewer tasks per PTO2_SCOPE");
  EXPECT_EQ(hint_of(Resource::clusters, 4, "", false),
            "Recommended: at least 4: --blocks 4; or pto2_rt_free_cluster earlier");
}

TEST(Hint, NamesNoSizeThatCannotBeSet) {
  EXPECT_EQ(hint_of(Resource::clusters, 2000, "blocks is 2000, but must be in 1..1024", true),
            "Recommended: pto2_rt_free_cluster earlier. No --blocks works: it would have to be "
            "2000, and blocks is 2000, but must be in 1..1024");
  EXPECT_THAT(hint_of(Resource::task_ring, 1 << 21, "window is too large", false),
              HasSubstr("No --window works: it would have to be at least 2097152, and window"));
  EXPECT_EQ(hint_of(Resource::heap_ring, std::nullopt, "", true),
            "Recommended: smaller outputs, or fewer tasks per PTO2_SCOPE. No --heap works: one of "
            "1099511627776 is not enough");
}

}  // namespace
}  // namespace pto2
