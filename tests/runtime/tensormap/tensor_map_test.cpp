#include "runtime/tensormap/tensor_map.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <deque>
#include <fstream>
#include <new>
#include <stdexcept>
#include <vector>

namespace pto2 {
namespace {

/// Bytes [begin, end) of a buffer of single bytes.
Region bytes(uint32_t begin, uint32_t end) {
  Region region{};
  region.begin = begin;
  region.end = end;
  region.element_size = 1;
  region.ndims = 1;
  region.contiguous = true;
  for (uint32_t i = 0; i < PTO_MAX_DIMS; ++i) region.box_end[i] = 1;
  region.box_begin[0] = begin;
  region.box_end[0] = end;
  return region;
}

/// Larger than what most tests write to it: so those writes are entries.
BufferWrites buffer_at(uint64_t key) {
  return {.key = key, .bytes = 1000};
}

std::vector<Match> find(TensorMap& map, BufferWrites& buffer, const Region& region,
                        Access access = Access::input) {
  std::vector<Match> result;
  map.lookup(buffer, region, access, no_task, [&](const Match& match) { result.push_back(match); });
  return result;
}

/// Buffers whose keys have one bucket, or neighbouring ones.
struct Buffers {
  /// Number n, made when it is first named.
  BufferWrites& operator[](uint64_t n) {
    while (made.size() <= n) made.push_back(buffer_at(0x10000 + 64 * made.size()));
    return made[n];
  }
  std::deque<BufferWrites> made;
};

TEST(TensorMap, FindsWhatOverlaps) {
  TensorMap map({.rings = 4, .window = 16, .pool_size = 8, .num_buckets = 4});
  Buffers buffers;
  ASSERT_TRUE(map.insert(buffers[0], bytes(0, 10), make_id(0, 0)));
  ASSERT_TRUE(map.insert(buffers[0], bytes(10, 20), make_id(1, 0)));
  ASSERT_TRUE(map.insert(buffers[1], bytes(0, 10), make_id(0, 1)));
  const std::vector<Match> found = find(map, buffers[0], bytes(8, 20));
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].producer, make_id(1, 0));
  EXPECT_EQ(found[0].relation, Relation::covered);
  EXPECT_EQ(found[1].producer, make_id(0, 0));
  EXPECT_EQ(found[1].relation, Relation::other);
  EXPECT_FALSE(found[0].replaced || found[1].replaced);
  EXPECT_TRUE(find(map, buffers[0], bytes(20, 30)).empty());
  EXPECT_EQ(map.live(), 3U);
  EXPECT_TRUE(map.invariant_holds());
}

/// Of its buckets any page may have been written. KM-I2.
TEST(TensorMap, KeepsNoMorePagesForTheNextThanOneMayKeep) {
  KeptMemory& memory = KeptMemory::of_process();
  memory.release();
  constexpr uint32_t buckets = KeptMemory::most_resident / sizeof(uint32_t);
  {
    TensorMap one({.rings = 1, .window = 16, .pool_size = 8, .num_buckets = buckets});
    Buffers buffers;
    TensorMap two({.rings = 1, .window = 16, .pool_size = 8, .num_buckets = buckets});
    for (TensorMap* const map : {&one, &two}) {
      ASSERT_TRUE(map->insert(buffers[0], bytes(0, 10), make_id(0, 0)));
      map->keep_memory();
    }
  }
  EXPECT_EQ(memory.blocks(), 1U);
  EXPECT_TRUE(memory.invariant_holds());
  memory.release();
}

TEST(TensorMap, StartsAnewInKeptMemory) {
  KeptMemory& memory = KeptMemory::of_process();
  memory.release();
  const TensorMapConfig config{.rings = 2, .window = 4096, .pool_size = 8, .num_buckets = 16384};
  Buffers buffers;
  {
    TensorMap map(config);
    ASSERT_TRUE(map.insert(buffers[0], bytes(0, 10), make_id(1, 0)));
    ASSERT_TRUE(map.insert(buffers[1], bytes(0, 1000), make_id(1, 1)));
    map.keep_memory();
  }
  ASSERT_GE(memory.blocks(), 2U);
  TensorMap map(config);
  EXPECT_TRUE(map.invariant_holds());
  EXPECT_TRUE(find(map, buffers[0], bytes(0, 10)).empty());
  for (uint64_t i = 0; i < 2; ++i) {
    ASSERT_TRUE(map.insert(buffers[2], bytes(0, 10), make_id(1, i)));
    ASSERT_TRUE(map.invariant_holds());
  }
  map.sync({0, 2, 0, 0}, true);
  EXPECT_EQ(map.live(), 0U);
  memory.release();
}

TEST(TensorMap, InoutReplacesWhatItCoversButNotTheAllocation) {
  TensorMap map({.rings = 4, .window = 16, .pool_size = 8});
  Buffers buffers;
  buffers[0] = {.key = 0x10000, .bytes = 10, .owner = make_id(0, 0), .written = 10};
  ASSERT_TRUE(map.insert(buffers[0], bytes(0, 10), make_id(0, 0)));
  ASSERT_TRUE(map.insert(buffers[0], bytes(0, 5), make_id(0, 1)));
  ASSERT_TRUE(map.insert(buffers[0], bytes(5, 15), make_id(0, 2)));
  const std::vector<Match> found = find(map, buffers[0], bytes(0, 10), Access::inout);
  ASSERT_EQ(found.size(), 3U);
  EXPECT_FALSE(found[0].replaced) << "covered in part only";
  EXPECT_TRUE(found[1].replaced);
  EXPECT_FALSE(found[2].replaced) << "allocated the buffer";
  EXPECT_EQ(map.live(), 2U);
  EXPECT_EQ(find(map, buffers[0], bytes(0, 5)).size(), 1U);
  EXPECT_TRUE(map.invariant_holds());
}

TEST(TensorMap, InputReplacesNothing) {
  TensorMap map({.rings = 4, .window = 16, .pool_size = 8});
  Buffers buffers;
  ASSERT_TRUE(map.insert(buffers[0], bytes(0, 10), make_id(0, 0)));
  EXPECT_EQ(find(map, buffers[0], bytes(0, 10)).size(), 1U);
  EXPECT_EQ(find(map, buffers[0], bytes(0, 10)).size(), 1U);
}

TEST(TensorMap, RetiredProducersAreSkipped) {
  TensorMap map({.rings = 4, .window = 16, .pool_size = 8});
  Buffers buffers;
  ASSERT_TRUE(map.insert(buffers[0], bytes(0, 10), make_id(2, 3)));
  map.sync({9, 9, 3, 9});
  EXPECT_EQ(find(map, buffers[0], bytes(0, 10)).size(), 1U);
  map.sync({9, 9, 4, 9});
  EXPECT_TRUE(find(map, buffers[0], bytes(0, 10)).empty());
}

/// map-truncate: one ring's retired entry says nothing about those of another behind it.
TEST(TensorMap, RetiredEntryHidesNothingOfAnotherRing) {
  TensorMap map({.rings = 2, .window = 16, .pool_size = 8, .num_buckets = 1});
  Buffers buffers;
  ASSERT_TRUE(map.insert(buffers[0], bytes(0, 10), make_id(0, 0)));
  ASSERT_TRUE(map.insert(buffers[0], bytes(0, 10), make_id(1, 0)));
  map.sync({0, 1, 0, 0});
  const std::vector<Match> found = find(map, buffers[0], bytes(0, 10));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].producer, make_id(0, 0));
  EXPECT_TRUE(map.invariant_holds());
}

/// map-leak: what truncation cuts off returns to the free list and leaves its task's chain.
TEST(TensorMap, TruncatedEntriesComeBack) {
  TensorMap map({.rings = 1, .window = 16, .pool_size = 4, .num_buckets = 1});
  Buffers buffers;
  uint64_t next = 0;
  for (int round = 0; round < 100; ++round) {
    for (int i = 0; i < 4; ++i) {
      ASSERT_TRUE(map.insert(buffers[i], bytes(0, 8), make_id(0, next)));
      next += i % 2;  // two entries per task
    }
    EXPECT_FALSE(map.reserve(1));
    map.sync({next, 0, 0, 0});
    // A reader of any buffer in the bucket meets the retired entries.
    EXPECT_TRUE(find(map, buffers[0], bytes(0, 8)).empty());
    EXPECT_EQ(map.live(), 0U);
    EXPECT_TRUE(map.reserve(4));
    ASSERT_TRUE(map.invariant_holds());
  }
}

TEST(TensorMap, TruncationKeepsTheLiveFront) {
  TensorMap map({.rings = 1, .window = 16, .pool_size = 8, .num_buckets = 1});
  Buffers buffers;
  for (uint64_t i = 0; i < 6; ++i) {
    ASSERT_TRUE(map.insert(buffers[0], bytes(0, 8), make_id(0, i)));
  }
  map.sync({4, 0, 0, 0});
  EXPECT_EQ(find(map, buffers[0], bytes(0, 8)).size(), 2U);
  EXPECT_EQ(map.live(), 2U);
  EXPECT_TRUE(map.invariant_holds());
}

/// map-slot-reuse: a clean-up that lags behind the slot's reuse frees no entry of the new task.
TEST(TensorMap, LateCleanUpSparesTheSlotsNextTask) {
  TensorMap map({.rings = 2, .window = 4, .pool_size = 16});
  Buffers buffers;
  ASSERT_TRUE(map.insert(buffers[0], bytes(0, 8), make_id(0, 1)));
  map.sync({4, 0, 0, 0});  // too few retired for a clean-up
  EXPECT_EQ(map.live(), 1U);
  ASSERT_TRUE(map.insert(buffers[1], bytes(0, 8), make_id(0, 5)));
  ASSERT_TRUE(map.insert(buffers[2], bytes(0, 8), make_id(0, 5)));
  EXPECT_TRUE(map.invariant_holds()) << "a slot's chain holds one task";
  map.sync({5, 0, 0, 0}, true);
  EXPECT_EQ(find(map, buffers[1], bytes(0, 8)).size(), 1U);
  EXPECT_EQ(find(map, buffers[2], bytes(0, 8)).size(), 1U);
  EXPECT_EQ(map.live(), 2U);
  map.sync({6, 0, 0, 0}, true);
  EXPECT_EQ(map.live(), 0U);
  EXPECT_TRUE(map.invariant_holds());
}

TEST(TensorMap, CleansUpEverySixtyFourRetiredTasks) {
  TensorMap map({.rings = 4, .window = 256, .pool_size = 256});
  Buffers buffers;
  for (uint64_t i = 0; i < 100; ++i) {
    ASSERT_TRUE(map.insert(buffers[i], bytes(0, 8), make_id(3, i)));
  }
  map.sync({0, 0, 0, 63});
  EXPECT_EQ(map.live(), 100U);
  map.sync({0, 0, 0, 64});
  EXPECT_EQ(map.live(), 36U);
  map.sync({0, 0, 0, 100});
  EXPECT_EQ(map.live(), 36U);
  map.sync({0, 0, 0, 100}, true);
  EXPECT_EQ(map.live(), 0U);
  EXPECT_TRUE(map.invariant_holds());
}

TEST(TensorMap, CleanUpAfterMoreThanAWindow) {
  TensorMap map({.rings = 4, .window = 8, .pool_size = 256});
  Buffers buffers;
  ASSERT_TRUE(map.insert(buffers[0], bytes(0, 8), make_id(0, 3)));
  map.sync({1000, 0, 0, 0});
  EXPECT_EQ(map.live(), 0U);
}

TEST(TensorMap, ExhaustionRefusesAndLosesNothing) {
  TensorMap map({.rings = 4, .window = 16, .pool_size = 3});
  Buffers buffers;
  EXPECT_TRUE(map.reserve(3));
  EXPECT_FALSE(map.reserve(4));
  for (uint64_t i = 0; i < 3; ++i) {
    ASSERT_TRUE(map.insert(buffers[0], bytes(0, 8), make_id(0, i)));
  }
  EXPECT_FALSE(map.insert(buffers[0], bytes(0, 8), make_id(0, 3)));
  EXPECT_EQ(find(map, buffers[0], bytes(0, 8)).size(), 3U);
  map.sync({1, 0, 0, 0});
  EXPECT_FALSE(map.insert(buffers[0], bytes(0, 8), make_id(0, 3))) << "not cleaned up yet";
  EXPECT_TRUE(map.reserve(1));
  EXPECT_FALSE(map.reserve(2));
  EXPECT_TRUE(map.insert(buffers[0], bytes(0, 8), make_id(0, 3)));
  EXPECT_EQ(find(map, buffers[0], bytes(0, 8)).size(), 3U);
  EXPECT_TRUE(map.invariant_holds());
}

TEST(TensorMap, WhoWritesAllOfABufferStandsAtIt) {
  TensorMap map({.rings = 4, .window = 16, .pool_size = 8});
  BufferWrites buffer{.key = 0x10000, .bytes = 8, .owner = make_id(0, 0)};
  ASSERT_TRUE(map.insert(buffer, bytes(0, 8), make_id(0, 0)));
  ASSERT_TRUE(map.insert(buffer, bytes(0, 8), make_id(1, 0)));
  EXPECT_FALSE(buffer.may_have_parts);
  std::vector<Match> found = find(map, buffer, bytes(3, 8), Access::inout);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].producer, make_id(1, 0));
  EXPECT_EQ(found[1].producer, make_id(0, 0));
  for (const Match& match : found) {
    EXPECT_EQ(match.relation, Relation::other);
    EXPECT_FALSE(match.replaced);
  }
  EXPECT_TRUE(find(map, buffer, bytes(8, 9)).empty());
  found = find(map, buffer, bytes(0, 8), Access::inout);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_TRUE(found[0].replaced);
  EXPECT_FALSE(found[1].replaced) << "allocated the buffer";
  EXPECT_EQ(map.live(), 1U);
  EXPECT_TRUE(map.invariant_holds());
}

TEST(TensorMap, WhoLeavesGapsHasNotWrittenTheWhole) {
  TensorMap map({.rings = 4, .window = 16, .pool_size = 8});
  BufferWrites buffer{.key = 0x10000, .bytes = 8};
  Region gaps = bytes(0, 8);
  gaps.contiguous = false;
  ASSERT_TRUE(map.insert(buffer, gaps, make_id(0, 0)));
  EXPECT_EQ(buffer.writer, no_task);
  EXPECT_EQ(find(map, buffer, bytes(2, 3)).size(), 1U);
}

TEST(TensorMap, AWholeBufferHasOneWriterAndPartsBeside) {
  TensorMap map({.rings = 4, .window = 16, .pool_size = 8});
  BufferWrites buffer{.key = 0x10000, .bytes = 8};
  ASSERT_TRUE(map.insert(buffer, bytes(0, 8), make_id(0, 0)));
  ASSERT_TRUE(map.insert(buffer, bytes(0, 8), make_id(0, 1)));
  ASSERT_TRUE(map.insert(buffer, bytes(0, 7), make_id(0, 2)));
  EXPECT_EQ(find(map, buffer, bytes(0, 8)).size(), 3U);
  EXPECT_EQ(find(map, buffer, bytes(7, 8)).size(), 2U);
  map.sync({1, 0, 0, 0});
  EXPECT_EQ(find(map, buffer, bytes(0, 8)).size(), 2U);
  ASSERT_TRUE(map.insert(buffer, bytes(0, 8), make_id(0, 3))) << "in the place of the retired one";
  EXPECT_EQ(buffer.writer, make_id(0, 3));
  EXPECT_EQ(find(map, buffer, bytes(0, 8), Access::inout).size(), 3U);
  EXPECT_TRUE(find(map, buffer, bytes(0, 8)).empty());
  EXPECT_FALSE(buffer.may_have_parts);
  EXPECT_EQ(map.live(), 1U) << "that of the first, whose slot nobody has looked at";
  EXPECT_TRUE(map.invariant_holds());
}

/// A write of a task that is ordered behind who stands at the buffer, or is not.
void write(TensorMap& map, BufferWrites& buffer, const Region& region, TaskId task,
           bool is_behind) {
  ASSERT_TRUE(map.reserve(1));
  map.insert(map.begin_inserts(task, 1), buffer, region,
             [&](const BufferWrites&) { return is_behind; });
  EXPECT_TRUE(map.invariant_holds());
}

std::vector<TaskId> producers(TensorMap& map, BufferWrites& buffer, const Region& region) {
  std::vector<TaskId> result;
  for (const Match& match : find(map, buffer, region)) result.push_back(match.producer);
  return result;
}

TEST(TensorMap, WhoWritesAllOfItBehindTheLastTakesItsPlace) {
  TensorMap map({.rings = 1, .window = 16, .pool_size = 8});
  BufferWrites buffer{.key = 0x10000, .bytes = 8};
  write(map, buffer, bytes(0, 8), make_id(0, 0), false);
  write(map, buffer, bytes(0, 8), make_id(0, 1), true);
  EXPECT_EQ(producers(map, buffer, bytes(2, 3)), std::vector{make_id(0, 1)});
  EXPECT_EQ(map.live(), 1U);
  write(map, buffer, bytes(0, 7), make_id(0, 2), true);
  EXPECT_EQ(producers(map, buffer, bytes(2, 3)), (std::vector{make_id(0, 2), make_id(0, 1)}))
      << "not all of it";
}

/// TM-I3: the one that is met last is the oldest of the parts.
TEST(TensorMap, WhoIsNotOrderedBehindTheLastIsMetBesideIt) {
  TensorMap map({.rings = 1, .window = 16, .pool_size = 8});
  BufferWrites buffer{.key = 0x10000, .bytes = 8};
  const auto task = [](uint64_t local) { return make_id(0, local); };
  write(map, buffer, bytes(0, 8), task(0), false);
  write(map, buffer, bytes(4, 6), task(1), false);
  write(map, buffer, bytes(2, 4), task(2), false);
  write(map, buffer, bytes(0, 8), task(3), false);
  EXPECT_EQ(buffer.writer, task(3));
  EXPECT_EQ(producers(map, buffer, bytes(0, 8)), (std::vector{task(2), task(1), task(0), task(3)}));
  EXPECT_EQ(producers(map, buffer, bytes(7, 8)), (std::vector{task(0), task(3)}));
  EXPECT_EQ(map.live(), 4U);
  map.sync({1, 0, 0, 0});
  EXPECT_EQ(producers(map, buffer, bytes(7, 8)), std::vector{task(3)});
  EXPECT_EQ(find(map, buffer, bytes(0, 8), Access::inout).size(), 3U);
  EXPECT_EQ(map.live(), 0U);
  EXPECT_TRUE(map.invariant_holds());
}

/// External tensors of one address may differ in size.
TEST(TensorMap, WhoWritesLessThanTheLastDoesNotTakeItsPlace) {
  TensorMap map({.rings = 1, .window = 16, .pool_size = 8});
  BufferWrites buffer{.key = 0x10000, .bytes = 8};
  write(map, buffer, bytes(0, 8), make_id(0, 0), false);
  buffer.bytes = 4;
  write(map, buffer, bytes(0, 4), make_id(0, 1), true);
  EXPECT_EQ(producers(map, buffer, bytes(0, 4)), (std::vector{make_id(0, 0), make_id(0, 1)}));
  EXPECT_EQ(producers(map, buffer, bytes(4, 8)), std::vector{make_id(0, 0)});
  buffer.bytes = 16;
  write(map, buffer, bytes(0, 16), make_id(0, 2), true);
  EXPECT_EQ(producers(map, buffer, bytes(0, 4)), (std::vector{make_id(0, 0), make_id(0, 2)}));
}

TEST(TensorMap, WhoHasMetTheWriterIsRemembered) {
  TensorMap map({.rings = 1, .window = 16, .pool_size = 8});
  BufferWrites buffer{.key = 0x10000, .bytes = 8};
  const auto look_up = [&](const Region& region, TaskId reader) {
    map.lookup(buffer, region, Access::input, reader, [](const Match&) {});
  };
  write(map, buffer, bytes(0, 8), make_id(0, 0), false);
  EXPECT_EQ(buffer.reader, no_task);
  look_up(bytes(0, 8), make_id(0, 1));
  look_up(bytes(2, 3), make_id(0, 2));
  EXPECT_EQ(buffer.reader, make_id(0, 2));
  look_up(bytes(8, 9), make_id(0, 3));
  EXPECT_EQ(buffer.reader, make_id(0, 2)) << "behind it";
  write(map, buffer, bytes(0, 8), make_id(0, 4), true);
  EXPECT_EQ(buffer.reader, no_task) << "of another writer";
}

/// TM-I4 where nobody looks any more: a buffer that is forgotten has no writer alive.
TEST(TensorMap, FindsWritersUntilTheLastRetires) {
  TensorMap map({.rings = 4, .window = 16, .pool_size = 8});
  BufferWrites buffer{.key = 0x10000, .bytes = 8};
  EXPECT_FALSE(map.find_writers(buffer));
  ASSERT_TRUE(map.insert(buffer, bytes(0, 8), make_id(0, 0)));
  ASSERT_TRUE(map.insert(buffer, bytes(2, 4), make_id(0, 1)));
  buffer.reader = make_id(0, 1);
  EXPECT_TRUE(map.find_writers(buffer));
  EXPECT_EQ(buffer.reader, make_id(0, 1)) << "nobody has read it meanwhile";
  map.sync({1, 0, 0, 0});
  EXPECT_TRUE(map.find_writers(buffer)) << "a part";
  map.sync({2, 0, 0, 0});
  EXPECT_FALSE(map.find_writers(buffer));
  ASSERT_TRUE(map.insert(buffer, bytes(0, 8), make_id(0, 2)));
  EXPECT_TRUE(map.find_writers(buffer)) << "the whole";
}

TEST(TensorMap, EnlargesWithoutLosingAnything) {
  TensorMap map({.rings = 2, .window = 4, .pool_size = 4, .num_buckets = 2});
  Buffers buffers;
  for (uint64_t i = 0; i < 3; ++i) {
    ASSERT_TRUE(map.insert(buffers[0], bytes(0, 8), make_id(1, 2 + i)));
  }
  ASSERT_TRUE(map.insert(buffers[1], bytes(0, 1000), make_id(1, 4)));
  map.sync({0, 3, 0, 0}, true);  // one in the free list
  map.enlarge(16, 64);
  EXPECT_TRUE(map.invariant_holds());
  EXPECT_EQ(map.live(), 3U);
  EXPECT_EQ(map.available(), 61U);
  for (uint64_t i = 5; i < 15; ++i) {
    ASSERT_TRUE(map.insert(buffers[0], bytes(0, 8), make_id(1, i)));
  }
  EXPECT_EQ(find(map, buffers[0], bytes(0, 8)).size(), 12U);
  EXPECT_EQ(find(map, buffers[1], bytes(0, 8)).size(), 1U);
  map.sync({0, 5, 0, 0}, true);
  EXPECT_EQ(map.live(), 10U);
  EXPECT_TRUE(map.invariant_holds());
  map.enlarge(8, 8);
  EXPECT_EQ(map.config().window, 16U);
  EXPECT_EQ(map.config().pool_size, 64U);
  EXPECT_THROW(map.enlarge(17, 64), std::invalid_argument);
}

/// A pool of 2^30 is one that can be configured, and twice that can not be.
TEST(TensorMap, PoolsGrowToTheLargestThatThereCanBe) {
  EXPECT_EQ(larger_pool(16), 32U);
  EXPECT_EQ(larger_pool(uint32_t{1} << 30), 2'147'483'647U);
  EXPECT_THROW((void)larger_pool(2'147'483'647), std::bad_alloc);
}

TEST(TensorMap, EnlargesWithWhoWroteWholeBuffers) {
  TensorMap map({.rings = 2, .window = 4, .pool_size = 4});
  Buffers buffers;
  ASSERT_TRUE(map.insert(buffers[0], bytes(0, 1000), make_id(0, 0)));
  ASSERT_TRUE(map.insert(buffers[1], bytes(0, 1000), make_id(1, 3)));
  map.enlarge(16, 8);
  EXPECT_TRUE(map.invariant_holds());
  EXPECT_EQ(map.live(), 2U);
  for (uint64_t i = 0; i < 2; ++i) {
    EXPECT_EQ(find(map, buffers[i], bytes(0, 1000), Access::inout).size(), 1U);
  }
  EXPECT_EQ(map.live(), 0U);
  EXPECT_TRUE(map.invariant_holds());
}

TEST(TensorMap, RefusesBadConfigurations) {
  EXPECT_THROW(TensorMap({.rings = 0}), std::invalid_argument);
  EXPECT_THROW(TensorMap({.rings = 5}), std::invalid_argument);
  EXPECT_THROW(TensorMap({.window = 12}), std::invalid_argument);
  EXPECT_THROW(TensorMap({.pool_size = 0}), std::invalid_argument);
  EXPECT_THROW(TensorMap({.num_buckets = 0}), std::invalid_argument);
}

/// Pages of this process that are in memory.
uint64_t resident_pages() {
  std::ifstream statm("/proc/self/statm");
  uint64_t total = 0;
  uint64_t resident = 0;
  statm >> total >> resident;
  return resident;
}

TEST(TensorMap, ConstructionTouchesLittle) {
  const auto page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  const uint64_t before = resident_pages();
  ASSERT_GT(before, 0U);
  TensorMap map({.pool_size = uint32_t{1} << 20});  // 128 MiB if it were touched
  Buffers buffers;
  // Address sanitizer touches one byte of its own for eight, and may give back what others had.
  EXPECT_LT(resident_pages() * page, before * page + (uint64_t{32} << 20));
  ASSERT_TRUE(map.insert(buffers[0], bytes(0, 8), make_id(0, 0)));
}

TEST(TensorMapDeathTest, ProducersThatCannotBe) {
  TensorMap map({.rings = 2, .window = 4, .pool_size = 8});
  Buffers buffers;
  EXPECT_DEATH((void)map.insert(buffers[0], bytes(0, 1), make_id(2, 0)), "TM-P1");
  map.sync({1, 0, 0, 0});
  EXPECT_DEATH((void)map.insert(buffers[0], bytes(0, 1), make_id(0, 0)), "TM-P1");
  ASSERT_TRUE(map.insert(buffers[0], bytes(0, 1), make_id(0, 1)));
  EXPECT_DEATH((void)map.insert(buffers[0], bytes(0, 1), make_id(0, 5)), "TM-P2");
}

}  // namespace
}  // namespace pto2
