#include "runtime/orchestrator/cluster_groups.hpp"

#include <gtest/gtest.h>

namespace pto2 {
namespace {

/// Opens a group as counting does; its cluster.
uint32_t open_one(ClusterGroups& groups, uint32_t depth = 0) {
  return groups.open(groups.lowest_closed(), depth).cluster.value;
}

TEST(ClusterGroups, HaveAClusterEachAsOnALargerChip) {
  ClusterGroups groups(3);
  for (uint32_t i = 0; i < 8; ++i) EXPECT_EQ(open_one(groups), i);
  EXPECT_EQ(groups.most_open(), 8U);
  EXPECT_EQ(groups.free(6), 6U);
  EXPECT_EQ(groups.free(1), 1U);
  EXPECT_FALSE(groups.is_open(6));
  EXPECT_FALSE(groups.is_open(1));
  EXPECT_TRUE(groups.is_open(7));
  EXPECT_EQ(open_one(groups), 1U) << "the lowest that is closed";
  EXPECT_EQ(groups.group_of(1), 8U);
  EXPECT_EQ(open_one(groups), 6U);
  EXPECT_EQ(open_one(groups), 8U);
  EXPECT_EQ(groups.most_open(), 9U);
}

TEST(ClusterGroups, OfInnerScopesEndBeforeThoseOfOuterOnes) {
  ClusterGroups groups(1);
  (void)open_one(groups, 0);
  (void)open_one(groups, 1);
  (void)open_one(groups, 1);
  EXPECT_EQ(groups.free(0), 0U) << "from within the inner scope";
  EXPECT_EQ(groups.close_with_scope(1)->group, 2U);
  EXPECT_EQ(groups.close_with_scope(1)->group, 1U);
  EXPECT_FALSE(groups.close_with_scope(1).has_value());
  EXPECT_EQ(groups.why_closed(0), "cluster 0 is not allocated: its last group, 0, was freed");
  EXPECT_EQ(groups.why_closed(2),
            "cluster 2 is not allocated: its last group, 2, ended with its scope");
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
