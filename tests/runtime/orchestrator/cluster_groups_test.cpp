#include "runtime/orchestrator/cluster_groups.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace pto2 {
namespace {

/// Opens a group as counting does; its cluster.
uint32_t open_one(ClusterGroups& groups, uint32_t depth = 0) {
  return groups.open(groups.least_used(), depth).cluster;
}

TEST(ClusterGroups, ShareTheClustersThatThereAre) {
  ClusterGroups groups(3);
  std::vector<uint32_t> clusters;
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(groups.all_open(), i >= 3) << i;
    clusters.push_back(open_one(groups));
  }
  EXPECT_EQ(clusters, (std::vector<uint32_t>{0, 1, 2, 0, 1, 2, 0, 1}));
  EXPECT_EQ(groups.most_open(), 8U);
  (void)groups.free(1);
  EXPECT_TRUE(groups.all_open()) << "it has another one";
  EXPECT_EQ(open_one(groups), 1U) << "it has one group less than cluster 0, and is before 2";
  EXPECT_EQ(groups.most_open(), 8U);
}

TEST(ClusterGroups, OfOneClusterAreFreedOneByOne) {
  ClusterGroups groups(1);
  for (int i = 0; i < 3; ++i) (void)open_one(groups);
  for (uint32_t group = 0; group < 3; ++group) {
    ASSERT_TRUE(groups.is_open(0));
    EXPECT_EQ(groups.group_of(0), 2U) << "a task joins the last";
    EXPECT_EQ(groups.free(0), group);
  }
  EXPECT_FALSE(groups.is_open(0));
  EXPECT_EQ(groups.why_closed(0), "cluster 0 is not allocated: its last group, 2, was freed");
  EXPECT_TRUE(groups.is_most_open_exact()) << "they were of one scope";
}

TEST(ClusterGroups, OfSeveralScopesCannotBeToldByTheirCluster) {
  ClusterGroups groups(2);
  (void)open_one(groups, 0);
  (void)open_one(groups, 0);
  (void)open_one(groups, 1);
  EXPECT_EQ(groups.free(1), 1U);
  EXPECT_TRUE(groups.is_most_open_exact()) << "cluster 1 has one group";
  EXPECT_EQ(groups.free(0), 0U) << "the one of the outermost scope";
  EXPECT_FALSE(groups.is_most_open_exact());
  EXPECT_TRUE(groups.is_open(0));
  EXPECT_EQ(groups.close_with_scope(1)->group, 2U);
  EXPECT_EQ(groups.why_closed(0),
            "cluster 0 is not allocated: its last group, 2, ended with its scope");
}

TEST(ClusterGroups, SayWhyAClusterHasNone) {
  ClusterGroups groups(2);
  EXPECT_EQ(groups.why_closed(2), "there is no cluster 2: the chip has clusters 0 to 1");
  EXPECT_EQ(groups.why_closed(-1), "there is no cluster -1: the chip has clusters 0 to 1");
  EXPECT_EQ(groups.why_closed(1), "cluster 1 is not allocated");
  EXPECT_FALSE(groups.is_open(-1));
  EXPECT_FALSE(groups.is_open(2));
}

}  // namespace
}  // namespace pto2
