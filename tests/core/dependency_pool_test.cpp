#include "core/dependency_pool.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <random>
#include <set>
#include <vector>

namespace pto2 {
namespace {

struct Pool {
  explicit Pool(uint32_t capacity, uint32_t window = 8)
      : tasks(window), marks(window), pool(tasks, marks, capacity) {}

  uint64_t submit(uint64_t nodes) {
    const uint64_t first = pool.take(nodes, alive);
    (void)tasks.take(alive);
    return first;
  }

  TaskRing tasks;
  std::vector<uint64_t> marks;
  DependencyPool pool;
  uint64_t alive = 0;
};

TEST(DependencyPool, NodesOfATaskAreConsecutiveAndEntryZeroStaysUnused) {
  Pool p(5);
  EXPECT_EQ(p.submit(2), 0u);
  EXPECT_EQ(p.submit(0), 2u);
  EXPECT_EQ(p.submit(3), 2u);
  std::set<uint32_t> indices;
  for (uint64_t node = 0; node < 5; ++node) indices.insert(p.pool.index(node));
  EXPECT_EQ(indices, (std::set<uint32_t>{1, 2, 3, 4, 5}));
  EXPECT_EQ(p.pool.index(5), p.pool.index(0));
}

TEST(DependencyPool, FitsExactlyWhatIsFree) {
  Pool p(5);
  EXPECT_TRUE(p.pool.fits(5, 0));
  EXPECT_FALSE(p.pool.fits(6, 0));
  (void)p.submit(3);
  (void)p.submit(2);
  EXPECT_EQ(p.pool.used(0), 5u);
  EXPECT_TRUE(p.pool.fits(0, 0));
  EXPECT_FALSE(p.pool.fits(1, 0));
  EXPECT_EQ(p.pool.used(1), 2u);
  EXPECT_TRUE(p.pool.fits(3, 1));
  EXPECT_FALSE(p.pool.fits(4, 1));
  EXPECT_EQ(p.pool.used(2), 0u);
}

/// Random tasks against an oracle that knows who owns each entry.
TEST(DependencyPool, NoNodeIsReusedWhileItsTaskIsAlive) {
  std::mt19937 random(1);
  for (int round = 0; round < 100; ++round) {
    const auto capacity = static_cast<uint32_t>(1 + random() % 9);
    Pool p(capacity);
    std::deque<std::set<uint32_t>> live;
    for (int step = 0; step < 200; ++step) {
      const uint64_t nodes = random() % (capacity + 1);
      if (!live.empty() && random() % 2 == 0) {
        live.pop_front();
        ++p.alive;
      } else if (p.tasks.fits(p.alive) && p.pool.fits(nodes, p.alive)) {
        const uint64_t first = p.submit(nodes);
        std::set<uint32_t> own;
        for (uint64_t n = 0; n < nodes; ++n) own.insert(p.pool.index(first + n));
        ASSERT_EQ(own.size(), nodes);
        for (const auto& other : live) {
          for (const uint32_t index : own) ASSERT_FALSE(other.contains(index));
        }
        live.push_back(own);
      }
      ASSERT_TRUE(p.pool.invariant_holds(p.alive));
    }
  }
}

TEST(DependencyPool, NodesGoRoundHoweverManyThereWere) {
  const Pool p(5);
  for (uint64_t number : {uint64_t{1} << 20, uint64_t{1} << 32, uint64_t{1} << 62}) {
    EXPECT_EQ(p.pool.index(number), 1 + (p.pool.index(number - 1) - 1 + 1) % 5);
  }
}

TEST(DependencyPool, SeesMarksThatCannotBe) {
  Pool p(5);
  (void)p.submit(2);
  (void)p.submit(2);
  EXPECT_TRUE(p.pool.invariant_holds(0));
  const std::vector<uint64_t> marks = p.marks;
  p.marks[0] = 5;
  EXPECT_FALSE(p.pool.invariant_holds(0)) << "the next mark is smaller";
  p.marks = marks;
  p.marks[1] = 3;
  EXPECT_FALSE(p.pool.invariant_holds(0)) << "the last mark is not the top";
  p.marks = marks;
  p.alive = 1;
  (void)p.submit(2);
  EXPECT_TRUE(p.pool.invariant_holds(1));
  EXPECT_FALSE(p.pool.invariant_holds(0)) << "more than the pool holds";
}

TEST(DependencyPoolDeathTest, TakesNoMoreThanFits) {
  Pool p(5);
  (void)p.submit(3);
  EXPECT_DEATH((void)p.submit(3), "DP-I2");
}

TEST(DependencyPoolDeathTest, BadSizes) {
  const TaskRing tasks(8);
  std::vector<uint64_t> marks(8);
  std::vector<uint64_t> few(4);
  EXPECT_DEATH(DependencyPool(tasks, marks, 0), "DP-P1");
  EXPECT_DEATH(DependencyPool(tasks, marks, max_ring_entries), "DP-P1");
  EXPECT_DEATH(DependencyPool(tasks, few, 16), "DP-P1");
}

}  // namespace
}  // namespace pto2
