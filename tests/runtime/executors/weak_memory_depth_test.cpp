/// How often weak memory is late, and how far behind: the numbers of docs/SIMULATION.md.
#include <gtest/gtest.h>

#include <map>

#include "runtime/executors/weak_memory.hpp"

namespace pto2::executors {
namespace {

/// One thread has stored 1 to `stores`; another one, which knows of none, loads once. How many
/// stores behind the newest it is, by how many of `seeds` runs.
std::map<uint64_t, uint64_t> depths_of(uint64_t stores, uint64_t seeds,
                                       std::optional<uint32_t> loads_per_stale) {
  std::map<uint64_t, uint64_t> depths;
  for (uint64_t seed = 0; seed < seeds; ++seed) {
    WeakMemory memory({{.seed = seed}, loads_per_stale});
    memory.begin(2);
    WeakMemory::Location location;
    memory.switch_to(0);
    for (uint64_t value = 1; value <= stores; ++value) {
      memory.store(location, value - 1, value, std::memory_order_relaxed);
    }
    memory.switch_to(1);
    ++depths[stores - memory.load(location, stores, std::memory_order_relaxed)];
  }
  return depths;
}

/// Any of the seven stores before the newest, one as often as another, however many there were.
TEST(WeakMemoryDepth, IsAnyOfSeven) {
  for (const uint64_t stores : {7U, 8U, 9U, 20U, 1000U}) {
    const auto depths = depths_of(stores, 7000, 1);
    EXPECT_EQ(depths.size(), 7U) << stores;
    for (uint64_t depth = 1; depth <= 7; ++depth) {
      ASSERT_TRUE(depths.contains(depth)) << stores << " stores, " << depth << " behind";
      EXPECT_NEAR(static_cast<double>(depths.at(depth)), 1000, 150) << depth;
    }
  }
}

/// The value before all stores is one of them.
TEST(WeakMemoryDepth, IsNoMoreThanThereAre) {
  const auto depths = depths_of(3, 3000, 1);
  EXPECT_EQ(depths.size(), 3U);
  for (const auto& [depth, runs] : depths) EXPECT_NEAR(static_cast<double>(runs), 1000, 150);
  EXPECT_EQ(depths.rbegin()->first, 3U);
}

TEST(WeakMemoryDepth, EndsWithTheValueBeforeAllStores) {
  WeakMemory memory({{.seed = 1}, 1});
  memory.begin(2);
  WeakMemory::Location location;
  memory.switch_to(0);
  memory.store(location, 5, 6, std::memory_order_relaxed);
  memory.switch_to(1);
  EXPECT_EQ(memory.load(location, 6, std::memory_order_relaxed), 5U);
}

/// An atomic may be older than a memory, and have a number that is another's there.
TEST(WeakMemoryDepth, IsNoneOfWhatAnotherMemoryKnows) {
  WeakMemory::Location old;
  WeakMemory::Location other;
  for (WeakMemory::Location* location : {&old, &other}) {
    WeakMemory memory({{.seed = 1}, 1});
    memory.begin(2);
    memory.switch_to(0);
    memory.store(*location, 0, 7, std::memory_order_relaxed);
    EXPECT_EQ(location->history, 1U);
    memory.switch_to(1);
    EXPECT_EQ(memory.load(old, 5, std::memory_order_relaxed), location == &old ? 0U : 5U);
  }
}

TEST(WeakMemoryDepth, OneLoadInSoManyIsLate) {
  for (const uint32_t loads : {2U, 4U, 16U, 64U}) {
    const uint64_t newest = depths_of(20, 20'000, loads)[0];
    EXPECT_NEAR(static_cast<double>(20'000 - newest), 20'000.0 / loads, 1200.0 / loads + 60);
  }
}

/// The share of late loads in 2000 of one memory: each is of another atomic.
double late_share(uint64_t seed) {
  WeakMemory memory({{.seed = seed}, std::nullopt});
  memory.begin(2);
  uint32_t late = 0;
  constexpr uint32_t loads = 2000;
  for (uint32_t i = 0; i < loads; ++i) {
    WeakMemory::Location location;
    memory.switch_to(0);
    memory.store(location, 0, 1, std::memory_order_relaxed);
    memory.switch_to(1);
    late += memory.load(location, 1, std::memory_order_relaxed) == 0 ? 1 : 0;
  }
  return static_cast<double>(late) / loads;
}

TEST(WeakMemoryDepth, HowManyIsDrawnFromTheSeed) {
  std::map<int, int> seeds;  // by the nearest of them
  for (uint64_t seed = 0; seed < 400; ++seed) {
    const double share = late_share(seed);
    ++seeds[share > 0.375 ? 2 : share > 0.14 ? 4 : share > 0.035 ? 16 : 64];
  }
  for (const int loads : {2, 4, 16, 64}) {
    EXPECT_NEAR(seeds[loads], 100, 40) << "one in " << loads;
  }
}

/// A new store takes the place of the oldest, and not the readers that it had.
TEST(WeakMemoryDepth, IsNotThatOfWhoHasReadAForgottenStore) {
  WeakMemory memory({{.seed = 1}, 1});
  memory.begin(3);
  WeakMemory::Location location;
  memory.switch_to(0);
  memory.store(location, 0, 1, std::memory_order_relaxed);
  memory.switch_to(1);
  ASSERT_EQ(memory.load_to_compare(location, 1, 0, std::memory_order_relaxed), 1U);
  memory.tell(2);
  memory.switch_to(0);
  for (uint64_t value = 2; value <= 9; ++value) {
    memory.store(location, value - 1, value, std::memory_order_relaxed);
  }
  memory.switch_to(2);
  ASSERT_TRUE(memory.hear());
  EXPECT_LT(memory.load(location, 9, std::memory_order_relaxed), 9U);
}

/// Nor is the new store seq_cst because the oldest was.
TEST(WeakMemoryDepth, IsNotEndedByASeqCstStoreThatIsForgotten) {
  WeakMemory memory({{.seed = 1}, 1});
  memory.begin(2);
  WeakMemory::Location location;
  memory.switch_to(0);
  memory.store(location, 0, 1, std::memory_order_seq_cst);
  for (uint64_t value = 2; value <= 9; ++value) {
    memory.store(location, value - 1, value, std::memory_order_relaxed);
  }
  memory.switch_to(1);
  EXPECT_LT(memory.load(location, 9, std::memory_order_seq_cst), 9U);
}

}  // namespace
}  // namespace pto2::executors
