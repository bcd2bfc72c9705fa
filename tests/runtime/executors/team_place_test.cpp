/// Which threads stay together when two hosts part.
#include <gtest/gtest.h>

#include "runtime/executors/joint_hosts.hpp"

namespace pto2::executors {
namespace {

/// Of the groups 1..last; what a group does must not depend on the number of the thread.
uint32_t staying(uint32_t parting_group, uint32_t last) {
  uint32_t count = 0;
  for (uint32_t group = 1; group <= last; ++group) {
    const bool stays = stays_with({7, parting_group}, {group, group}, last);
    EXPECT_EQ(stays, stays_with({8, parting_group}, {group + 1, group}, last)) << group;
    count += stays ? 1 : 0;
  }
  return count;
}

TEST(TeamPlace, HalfOfTheGroupsStays) {
  for (uint32_t last = 2; last <= 6; ++last) {
    for (uint32_t parting = 1; parting <= last; ++parting) {
      EXPECT_EQ(staying(parting, last), last / 2) << parting << " of " << last;
      EXPECT_TRUE(stays_with({7, parting}, {8, parting}, last)) << parting << " of " << last;
    }
  }
}

TEST(TeamPlace, EveryOtherThreadOfASingleGroupStays) {
  EXPECT_TRUE(stays_with({3, 1}, {3, 1}, 1));
  EXPECT_FALSE(stays_with({3, 1}, {4, 1}, 1));
  EXPECT_TRUE(stays_with({3, 1}, {5, 1}, 1));
  EXPECT_TRUE(stays_with({4, 1}, {2, 1}, 1));
}

TEST(TeamPlace, TheOrchestratorStays) {
  EXPECT_TRUE(stays_with({3, 1}, {0, 0}, 1));
  EXPECT_TRUE(stays_with({3, 2}, {0, 0}, 3));
  EXPECT_TRUE(stays_with({3, 3}, {1, 0}, 3));
}

}  // namespace
}  // namespace pto2::executors
