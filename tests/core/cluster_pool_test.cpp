#include "core/cluster_pool.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "tests/core/policy.hpp"

namespace pto2 {
namespace {

using Clusters = ClusterPool<TestPolicy>;

struct Storage {
  explicit Storage(uint32_t clusters) : words((clusters + 63) / 64), members(clusters) {}
  std::vector<Clusters::Word> words;
  std::vector<Clusters::Members> members;
};

TEST(ClusterPool, GivesOutEveryClusterOnceLowestFirst) {
  for (const uint32_t clusters : {1u, 24u, 64u, 65u, 130u}) {
    Storage storage(clusters);
    Clusters pool(storage.words, storage.members);
    EXPECT_EQ(pool.clusters(), clusters);
    EXPECT_TRUE(pool.invariant_holds());
    for (uint32_t c = 0; c < clusters; ++c) ASSERT_EQ(pool.allocate(), ClusterId(c));
    EXPECT_EQ(pool.allocate(), std::nullopt);
    for (uint32_t c = clusters; c-- > 0;) EXPECT_TRUE(pool.close(ClusterId(c)));
    EXPECT_TRUE(pool.invariant_holds());
    EXPECT_EQ(pool.allocate(), ClusterId(0));
  }
}

TEST(ClusterPool, AClusterReturnsWithTheLastTaskOfAClosedGroup) {
  Storage storage(2);
  Clusters pool(storage.words, storage.members);
  ASSERT_EQ(pool.allocate(), ClusterId(0));
  pool.join(0);
  pool.join(0);
  EXPECT_FALSE(pool.leave(0));
  EXPECT_FALSE(pool.close(0));
  EXPECT_EQ(pool.allocate(), ClusterId(1)) << "cluster 0 is still held";
  EXPECT_TRUE(pool.leave(0));
  EXPECT_EQ(pool.allocate(), ClusterId(0));
}

TEST(ClusterPool, AnOpenGroupKeepsItsClusterWithoutTasks) {
  Storage storage(1);
  Clusters pool(storage.words, storage.members);
  ASSERT_EQ(pool.allocate(), ClusterId(0));
  pool.join(0);
  EXPECT_FALSE(pool.leave(0));
  EXPECT_EQ(pool.allocate(), std::nullopt);
  EXPECT_TRUE(pool.close(0));
}

TEST(ClusterPool, IsAllFreeOnlyWithoutGroups) {
  Storage storage(2);
  Clusters pool(storage.words, storage.members);
  EXPECT_TRUE(pool.all_free());
  ASSERT_EQ(pool.allocate(), ClusterId(0));
  EXPECT_FALSE(pool.all_free()) << "an open group without tasks";
  pool.join(0);
  EXPECT_FALSE(pool.close(0));
  EXPECT_FALSE(pool.all_free()) << "a closed group with a task";
  EXPECT_TRUE(pool.leave(0));
  EXPECT_TRUE(pool.all_free());
}

TEST(ClusterPool, SeesAClusterThatIsFreeAndHeld) {
  Storage storage(2);
  Clusters pool(storage.words, storage.members);
  ASSERT_EQ(pool.allocate(), ClusterId(0));
  EXPECT_TRUE(pool.invariant_holds());
  storage.members[1].store(1);
  EXPECT_FALSE(pool.invariant_holds());
  storage.members[1].store(0);
  storage.words[0].store(0);
  EXPECT_FALSE(pool.invariant_holds()) << "cluster 1 is neither free nor held";
}

TEST(ClusterPoolDeathTest, UseOfAGroupThatIsNotOpen) {
  Storage storage(1);
  Clusters pool(storage.words, storage.members);
  EXPECT_DEATH(pool.join(0), "CP-I2");
  EXPECT_DEATH((void)pool.leave(0), "CP-I2");
  EXPECT_DEATH((void)pool.close(0), "CP-I2");
}

TEST(ClusterPoolDeathTest, TooFewWords) {
  std::vector<Clusters::Word> words(1);
  std::vector<Clusters::Members> members(65);
  EXPECT_DEATH(Clusters(words, members), "CP-I1");
}

}  // namespace
}  // namespace pto2
