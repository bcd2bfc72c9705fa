#include "core/dependency_pool.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <random>
#include <set>
#include <vector>

namespace pto2 {
namespace {

struct Pool {
  explicit Pool(uint32_t nodes, uint32_t window = 8)
      : capacity(nodes), tasks(window), marks(window), pool(tasks, marks, nodes) {}

  /// The indices of the nodes that the next task takes.
  std::set<uint32_t> submit(uint64_t nodes) {
    const uint32_t first = pool.take(nodes);
    pool.set_mark(tasks.slot(tasks.take()));
    std::set<uint32_t> taken;
    for (uint32_t i = 0; i < nodes; ++i) taken.insert(1 + (first - 1 + i) % capacity);
    return taken;
  }

  void observe(uint64_t alive) {
    tasks.observe(alive);
    pool.observe();
  }

  uint32_t capacity;
  TaskRing tasks;
  std::vector<uint64_t> marks;
  DependencyPool pool;
};

TEST(DependencyPool, NodesOfATaskAreConsecutiveAndEntryZeroStaysUnused) {
  Pool p(5);
  using Indices = std::set<uint32_t>;
  EXPECT_EQ(p.submit(2), (Indices{1, 2}));
  EXPECT_EQ(p.submit(0), Indices());
  EXPECT_EQ(p.submit(3), (Indices{3, 4, 5}));
  p.observe(3);
  EXPECT_EQ(p.submit(4), (Indices{1, 2, 3, 4}));
  p.observe(4);
  EXPECT_EQ(p.submit(3), (Indices{5, 1, 2})) << "around the end";
}

TEST(DependencyPool, FitsExactlyWhatIsFree) {
  Pool p(5);
  EXPECT_TRUE(p.pool.fits(5));
  EXPECT_FALSE(p.pool.fits(6));
  (void)p.submit(3);
  (void)p.submit(2);
  EXPECT_EQ(p.pool.used(0), 5u);
  EXPECT_TRUE(p.pool.fits(0));
  EXPECT_FALSE(p.pool.fits(1));
  EXPECT_EQ(p.pool.used(1), 2u);
  p.observe(1);
  EXPECT_TRUE(p.pool.fits(3));
  EXPECT_FALSE(p.pool.fits(4));
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
        p.observe(p.tasks.alive() + 1);
      } else if (p.tasks.fits() && p.pool.fits(nodes)) {
        const std::set<uint32_t> own = p.submit(nodes);
        ASSERT_EQ(own.size(), nodes);
        for (const auto& other : live) {
          for (const uint32_t index : own) ASSERT_FALSE(other.contains(index));
        }
        live.push_back(own);
      }
      ASSERT_TRUE(p.pool.invariant_holds(p.tasks.alive()));
    }
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
  p.observe(1);
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
