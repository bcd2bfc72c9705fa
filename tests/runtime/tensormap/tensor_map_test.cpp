#include "runtime/tensormap/tensor_map.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
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

std::vector<Match> find(TensorMap& map, uint64_t base, const Region& region,
                        Access access = Access::input) {
  std::vector<Match> result;
  map.lookup(base, region, access, [&](const Match& match) { result.push_back(match); });
  return result;
}

constexpr uint64_t buffer = 0x10000;

TEST(TensorMap, FindsWhatOverlaps) {
  TensorMap map({.rings = 4, .window = 16, .pool_size = 8, .num_buckets = 4});
  ASSERT_TRUE(map.insert(buffer, bytes(0, 10), make_id(0, 0), true));
  ASSERT_TRUE(map.insert(buffer, bytes(10, 20), make_id(1, 0), false));
  ASSERT_TRUE(map.insert(buffer + 64, bytes(0, 10), make_id(0, 1), true));
  const std::vector<Match> found = find(map, buffer, bytes(8, 20));
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].producer, make_id(1, 0));
  EXPECT_EQ(found[0].relation, Relation::covered);
  EXPECT_EQ(found[1].producer, make_id(0, 0));
  EXPECT_EQ(found[1].relation, Relation::other);
  EXPECT_FALSE(found[0].replaced || found[1].replaced);
  EXPECT_TRUE(find(map, buffer, bytes(20, 30)).empty());
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
    TensorMap two({.rings = 1, .window = 16, .pool_size = 8, .num_buckets = buckets});
    for (TensorMap* const map : {&one, &two}) {
      ASSERT_TRUE(map->insert(buffer, bytes(0, 10), make_id(0, 0), true));
      map->keep_memory();
    }
  }
  EXPECT_EQ(memory.blocks(), 1U);
  EXPECT_TRUE(memory.invariant_holds());
  memory.release();
}

TEST(TensorMap, InoutReplacesWhatItCoversButNotTheAllocation) {
  TensorMap map({.rings = 4, .window = 16, .pool_size = 8});
  ASSERT_TRUE(map.insert(buffer, bytes(0, 10), make_id(0, 0), true));
  ASSERT_TRUE(map.insert(buffer, bytes(0, 5), make_id(0, 1), false));
  ASSERT_TRUE(map.insert(buffer, bytes(5, 15), make_id(0, 2), false));
  const std::vector<Match> found = find(map, buffer, bytes(0, 10), Access::inout);
  ASSERT_EQ(found.size(), 3U);
  EXPECT_FALSE(found[0].replaced) << "covered in part only";
  EXPECT_TRUE(found[1].replaced);
  EXPECT_FALSE(found[2].replaced) << "allocated the buffer";
  EXPECT_EQ(map.live(), 2U);
  EXPECT_EQ(find(map, buffer, bytes(0, 5)).size(), 1U);
  EXPECT_TRUE(map.invariant_holds());
}

TEST(TensorMap, InputReplacesNothing) {
  TensorMap map({.rings = 4, .window = 16, .pool_size = 8});
  ASSERT_TRUE(map.insert(buffer, bytes(0, 10), make_id(0, 0), false));
  EXPECT_EQ(find(map, buffer, bytes(0, 10)).size(), 1U);
  EXPECT_EQ(find(map, buffer, bytes(0, 10)).size(), 1U);
}

TEST(TensorMap, RetiredProducersAreSkipped) {
  TensorMap map({.rings = 4, .window = 16, .pool_size = 8});
  ASSERT_TRUE(map.insert(buffer, bytes(0, 10), make_id(2, 3), true));
  map.sync({9, 9, 3, 9});
  EXPECT_EQ(find(map, buffer, bytes(0, 10)).size(), 1U);
  map.sync({9, 9, 4, 9});
  EXPECT_TRUE(find(map, buffer, bytes(0, 10)).empty());
}

/// map-truncate: one ring's retired entry says nothing about those of another behind it.
TEST(TensorMap, RetiredEntryHidesNothingOfAnotherRing) {
  TensorMap map({.rings = 2, .window = 16, .pool_size = 8, .num_buckets = 1});
  ASSERT_TRUE(map.insert(buffer, bytes(0, 10), make_id(0, 0), true));
  ASSERT_TRUE(map.insert(buffer, bytes(0, 10), make_id(1, 0), false));
  map.sync({0, 1, 0, 0});
  const std::vector<Match> found = find(map, buffer, bytes(0, 10));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].producer, make_id(0, 0));
  EXPECT_TRUE(map.invariant_holds());
}

/// map-leak: what truncation cuts off returns to the free list and leaves its task's chain.
TEST(TensorMap, TruncatedEntriesComeBack) {
  TensorMap map({.rings = 1, .window = 16, .pool_size = 4, .num_buckets = 1});
  uint64_t next = 0;
  for (int round = 0; round < 100; ++round) {
    for (int i = 0; i < 4; ++i) {
      ASSERT_TRUE(map.insert(buffer + 64 * i, bytes(0, 8), make_id(0, next), false));
      next += i % 2;  // two entries per task
    }
    EXPECT_FALSE(map.reserve(1));
    map.sync({next, 0, 0, 0});
    // A reader of any buffer in the bucket meets the retired entries.
    EXPECT_TRUE(find(map, buffer + 6400, bytes(0, 8)).empty());
    EXPECT_EQ(map.live(), 0U);
    EXPECT_TRUE(map.reserve(4));
    ASSERT_TRUE(map.invariant_holds());
  }
}

TEST(TensorMap, TruncationKeepsTheLiveFront) {
  TensorMap map({.rings = 1, .window = 16, .pool_size = 8, .num_buckets = 1});
  for (uint64_t i = 0; i < 6; ++i) {
    ASSERT_TRUE(map.insert(buffer, bytes(0, 8), make_id(0, i), false));
  }
  map.sync({4, 0, 0, 0});
  EXPECT_EQ(find(map, buffer, bytes(0, 8)).size(), 2U);
  EXPECT_EQ(map.live(), 2U);
  EXPECT_TRUE(map.invariant_holds());
}

/// map-slot-reuse: a clean-up that lags behind the slot's reuse frees no entry of the new task.
TEST(TensorMap, LateCleanUpSparesTheSlotsNextTask) {
  TensorMap map({.rings = 2, .window = 4, .pool_size = 16});
  ASSERT_TRUE(map.insert(buffer, bytes(0, 8), make_id(0, 1), true));
  map.sync({4, 0, 0, 0});  // too few retired for a clean-up
  EXPECT_EQ(map.live(), 1U);
  ASSERT_TRUE(map.insert(buffer + 64, bytes(0, 8), make_id(0, 5), true));
  ASSERT_TRUE(map.insert(buffer + 128, bytes(0, 8), make_id(0, 5), true));
  EXPECT_TRUE(map.invariant_holds()) << "a slot's chain holds one task";
  map.sync({5, 0, 0, 0}, true);
  EXPECT_EQ(find(map, buffer + 64, bytes(0, 8)).size(), 1U);
  EXPECT_EQ(find(map, buffer + 128, bytes(0, 8)).size(), 1U);
  EXPECT_EQ(map.live(), 2U);
  map.sync({6, 0, 0, 0}, true);
  EXPECT_EQ(map.live(), 0U);
  EXPECT_TRUE(map.invariant_holds());
}

TEST(TensorMap, CleansUpEverySixtyFourRetiredTasks) {
  TensorMap map({.rings = 4, .window = 256, .pool_size = 256});
  for (uint64_t i = 0; i < 100; ++i) {
    ASSERT_TRUE(map.insert(buffer + 64 * i, bytes(0, 8), make_id(3, i), true));
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
  ASSERT_TRUE(map.insert(buffer, bytes(0, 8), make_id(0, 3), true));
  map.sync({1000, 0, 0, 0});
  EXPECT_EQ(map.live(), 0U);
}

TEST(TensorMap, ExhaustionRefusesAndLosesNothing) {
  TensorMap map({.rings = 4, .window = 16, .pool_size = 3});
  EXPECT_TRUE(map.reserve(3));
  EXPECT_FALSE(map.reserve(4));
  for (uint64_t i = 0; i < 3; ++i) {
    ASSERT_TRUE(map.insert(buffer, bytes(0, 8), make_id(0, i), false));
  }
  EXPECT_FALSE(map.insert(buffer, bytes(0, 8), make_id(0, 3), false));
  EXPECT_EQ(find(map, buffer, bytes(0, 8)).size(), 3U);
  map.sync({1, 0, 0, 0});
  EXPECT_FALSE(map.insert(buffer, bytes(0, 8), make_id(0, 3), false)) << "not cleaned up yet";
  EXPECT_TRUE(map.reserve(1));
  EXPECT_FALSE(map.reserve(2));
  EXPECT_TRUE(map.insert(buffer, bytes(0, 8), make_id(0, 3), false));
  EXPECT_EQ(find(map, buffer, bytes(0, 8)).size(), 3U);
  EXPECT_TRUE(map.invariant_holds());
}

TEST(TensorMap, NewAllocationForgetsTheMemorysPast) {
  TensorMap map({.rings = 4, .window = 16, .pool_size = 8, .num_buckets = 1});
  ASSERT_TRUE(map.insert(buffer, bytes(0, 8), make_id(1, 0), true));
  ASSERT_TRUE(map.insert(buffer, bytes(0, 8), make_id(0, 0), false));
  ASSERT_TRUE(map.insert(buffer + 64, bytes(0, 8), make_id(0, 1), true));
  ASSERT_TRUE(map.insert(buffer, bytes(0, 4), make_id(1, 1), true));
  const std::vector<Match> found = find(map, buffer, bytes(0, 8));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].producer, make_id(1, 1));
  EXPECT_EQ(find(map, buffer + 64, bytes(0, 8)).size(), 1U);
  EXPECT_TRUE(map.invariant_holds());
}

TEST(TensorMap, EnlargesWithoutLosingAnything) {
  TensorMap map({.rings = 2, .window = 4, .pool_size = 4, .num_buckets = 2});
  for (uint64_t i = 0; i < 3; ++i) {
    ASSERT_TRUE(map.insert(buffer, bytes(0, 8), make_id(1, 2 + i), false));
  }
  ASSERT_TRUE(map.insert(buffer + 64, bytes(0, 8), make_id(1, 4), false));
  map.sync({0, 3, 0, 0}, true);  // one in the free list
  map.enlarge(16, 64);
  EXPECT_TRUE(map.invariant_holds());
  EXPECT_EQ(map.live(), 3U);
  EXPECT_EQ(map.available(), 61U);
  for (uint64_t i = 5; i < 15; ++i) {
    ASSERT_TRUE(map.insert(buffer, bytes(0, 8), make_id(1, i), false));
  }
  EXPECT_EQ(find(map, buffer, bytes(0, 8)).size(), 12U);
  EXPECT_EQ(find(map, buffer + 64, bytes(0, 8)).size(), 1U);
  map.sync({0, 5, 0, 0}, true);
  EXPECT_EQ(map.live(), 10U);
  EXPECT_TRUE(map.invariant_holds());
  map.enlarge(8, 8);
  EXPECT_EQ(map.config().window, 16U);
  EXPECT_EQ(map.config().pool_size, 64U);
  EXPECT_THROW(map.enlarge(17, 64), std::invalid_argument);
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
  // Address sanitizer touches one byte of its own for eight, and may give back what others had.
  EXPECT_LT(resident_pages() * page, before * page + (uint64_t{32} << 20));
  ASSERT_TRUE(map.insert(buffer, bytes(0, 8), make_id(0, 0), true));
}

TEST(TensorMapDeathTest, ProducersThatCannotBe) {
  TensorMap map({.rings = 2, .window = 4, .pool_size = 8});
  EXPECT_DEATH((void)map.insert(buffer, bytes(0, 1), make_id(2, 0), true), "TM-P1");
  map.sync({1, 0, 0, 0});
  EXPECT_DEATH((void)map.insert(buffer, bytes(0, 1), make_id(0, 0), true), "TM-P1");
  ASSERT_TRUE(map.insert(buffer, bytes(0, 1), make_id(0, 1), true));
  EXPECT_DEATH((void)map.insert(buffer, bytes(0, 1), make_id(0, 5), false), "TM-P2");
}

}  // namespace
}  // namespace pto2
