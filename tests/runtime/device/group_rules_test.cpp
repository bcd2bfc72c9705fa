/// The rules about groups: a made-up run that keeps them, and runs that break one.
#include "runtime/device/group_rules.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/runtime/device/run_story.hpp"

namespace pto2::test {
namespace {

using testing::IsEmpty;
using enum EventKind;

/// Group 0 with task a, and later group 2 without any, hold cluster 0, group 1 with c and d holds
/// cluster 1. That cluster 0 is given back is recorded after it was allocated again.
Story grouped() {
  Story story;
  story.insert(orchestrator, 3, allocate, {0}, 0);
  story.insert(orchestrator, 4, allocate, {1}, 1);
  story.insert(orchestrator, 10, join, a, 0);
  story.insert(orchestrator, 13, close, {0}, 0);
  story.insert(orchestrator, 14, join, c, 1);
  story.insert(orchestrator, 31, allocate, {2}, 0);
  story.insert(scheduler0, 33, give_back, no_task, 0);
  story.insert(orchestrator, 52, join, d, 1);
  story.insert(orchestrator, 53, close, {1}, 1);
  story.insert(orchestrator, 53, close, {2}, 0);
  story.insert(orchestrator, 53, give_back, no_task, 0);
  story.insert(scheduler1, 75, give_back, no_task, 1);
  return story;
}

TEST(GroupRules, HoldForARunWithGroups) {
  Story story = grouped();
  EXPECT_THAT(story.broken(), IsEmpty());
}

TEST(GroupRules, GroupsAreAllocatedInOrder) {
  Story story = grouped();
  story.at(orchestrator, close, {2}).task = {3};
  story.at(orchestrator, allocate, {2}).task = {3};
  expect_broken(story, "EV-I14", "group 3 is allocated at 31 out of turn");
}

TEST(GroupRules, ClustersAreOfTheChip) {
  Story story = grouped();
  story.at(orchestrator, allocate, {2}).detail = 2;
  expect_broken(story, "EV-I14", "group 2 is allocated on cluster 2 of 2");
}

TEST(GroupRules, EachGroupIsClosedOnceOnItsCluster) {
  Story other = grouped();
  other.at(orchestrator, close, {1}).detail = 0;
  expect_broken(other, "EV-I14", "group 1 is closed at 53 on cluster 0, which it does not hold");
  Story twice = grouped();
  twice.insert(orchestrator, 60, close, {1}, 1);
  expect_broken(twice, "EV-I14", "group 1 is closed at 60");
  Story never = grouped();
  never.erase(orchestrator, close, {2});
  expect_broken(never, "EV-I14", "a group is never closed");
}

TEST(GroupRules, TasksJoinAnOpenGroup) {
  Story late = grouped();
  late.insert(orchestrator, 14, join, b, 0);
  expect_broken(late, "EV-I14", "a task joins group 0 at 14, which is not open");
  Story unknown = grouped();
  unknown.insert(orchestrator, 14, join, b, 7);
  expect_broken(unknown, "EV-I14", "a task joins group 7 at 14, which is not open");
}

TEST(GroupRules, AClusterHasOneGroupAtATime) {
  Story early = grouped();
  early.at(orchestrator, allocate, {2}).tick = 29;  // the kernel of a ends at 30
  expect_broken(early, "EV-I14", "cluster 0 is allocated to group 2 at 29, while group 0 holds it");
  Story open = grouped();
  open.erase(orchestrator, close, {0});
  open.insert(orchestrator, 32, close, {0}, 0);
  expect_broken(open, "EV-I14", "cluster 0 is allocated to group 2 at 31, while group 0 holds it");
}

TEST(GroupRules, EachGroupGivesItsClusterBack) {
  Story never = grouped();
  never.erase(scheduler1, give_back);
  expect_broken(never, "EV-I14", "cluster 1 had 1 groups, but is given back 0 times");
  Story twice = grouped();
  twice.insert(scheduler1, 76, give_back, no_task, 1);
  expect_broken(twice, "EV-I14", "cluster 1 had 1 groups, but is given back 2 times");
  Story early = grouped();
  early.erase(scheduler1, give_back);
  early.insert(scheduler1, 68, give_back, no_task, 1);  // the kernel of d ends at 69
  expect_broken(early, "EV-I14", "cluster 1 is given back at 68, before group 1 has ended");
}

TEST(GroupRules, PinnedTasksRunOnTheirCluster) {
  Story story = grouped();
  // b runs on aiv0 of cluster 0.
  story.insert(orchestrator, 14, join, b, 1);
  expect_broken(story, "EV-I15",
                "task 1 of ring 0, part 0, of group 1 on cluster 1, is dispatched to aiv0");
}

TEST(GroupRules, ARunThatWasGivenUpLeavesGroups) {
  Story story = given_up();
  story.insert(orchestrator, 3, allocate, {0}, 0);
  story.insert(orchestrator, 10, join, a, 0);
  EXPECT_THAT(story.broken(), IsEmpty());
  story.insert(scheduler0, 33, give_back, no_task, 0);
  expect_broken(story, "EV-I14", "cluster 0 is given back at 33, before group 0 has ended");
}

}  // namespace
}  // namespace pto2::test
