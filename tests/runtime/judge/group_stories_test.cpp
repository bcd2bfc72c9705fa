/// VR-I10 to VR-I12, VR-I20, VR-I28 and VR-I29 of runs that are made up.
#include "tests/runtime/judge/run_story.hpp"

namespace pto2::test {
namespace {

using testing::Not;
using enum EventKind;

/// Task d is of group 0, which has cluster 1.
Story grouped() {
  Story story;
  story.clusters[d.value] = 1;
  story.insert(orchestrator, 8, allocate, no_task, 1);
  story.insert(orchestrator, 52, join, d, 1);
  story.insert(orchestrator, 54, close, no_task, 1);
  story.insert(scheduler1, 75, give_back, no_task, 1);
  return story;
}

TEST(GroupStories, AGroupBreaksNoRule) {
  EXPECT_THAT(grouped().broken(), testing::IsEmpty());
}

/// Only where parts are in different groups the submission names none.
TEST(GroupStories, I12ATaskOfOnePartNamesItsGroup) {
  const auto names_none = tells("VR-I12: task 3 of ring 0 joins group 0, and its submission names");
  Story story = grouped();
  story.clusters.clear();
  EXPECT_THAT(story.broken(), names_none);
  EXPECT_THAT(grouped().broken(), Not(names_none));
  story.block_dims[d.value] = 1;
  EXPECT_THAT(story.broken(), tells("VR-I12: part 0 of task 3 of ring 0 joins group 0, and its"));
}

/// Task d has two parts, the first of which joins group 1.
TEST(GroupStories, I12APartJoinsTheGroupOfItsSubmission) {
  Story story = grouped();
  story.block_dims[d.value] = 2;
  story.insert(scheduler1, 71, dispatch, d, aiv2 - first_core, 1);
  story.insert(aiv2, 72, ack, d, 0, 1);
  story.insert(aiv2, 73, fin, d, 0, 1);
  story.insert(orchestrator, 9, allocate);
  for (Event& event : story.log(orchestrator)) {
    if (event.t == 9 || event.kind == join) event.group = 1;
  }
  EXPECT_THAT(story.broken(), tells("VR-I12: part 0 of task 3 of ring 0 joins group 1, and its "
                                    "submission names group 0"));
}

/// Both parts of task d join group 0.
TEST(GroupStories, I12ATaskWhosePartsAreOfOneGroupNamesIt) {
  const auto names_none = tells("VR-I12: all parts of task 3 of ring 0 join group 0, and its");
  Story story = grouped();
  story.block_dims[d.value] = 2;
  story.insert(orchestrator, 52, join, d, 1, 1);
  story.insert(scheduler1, 71, dispatch, d, aiv2 - first_core, 1);
  story.insert(aiv2, 72, ack, d, 0, 1);
  story.insert(aiv2, 73, fin, d, 0, 1);
  EXPECT_THAT(story.broken(), Not(tells("VR-I12")));
  story.clusters.clear();
  EXPECT_THAT(story.broken(), names_none);
  story.insert(orchestrator, 9, allocate);
  for (Event& event : story.log(orchestrator)) {
    if (event.t == 9 || (event.kind == join && event.part == 1)) event.group = 1;
    if (event.kind == join && event.part == 1) event.place = 0;
  }
  EXPECT_THAT(story.broken(), Not(names_none)) << "they differ";
}

TEST(GroupStories, I12AClusterIsThatOfAGroup) {
  Record record = grouped().record();
  record.tasks[3].group = -1;
  EXPECT_THAT(judging::problems_of(record),
              tells("VR-I12: task 3 of ring 0 is pinned to cluster 1, and there is no group -1"));
  record.tasks[3].group = 0;
  record.tasks[3].cluster = -1;
  EXPECT_THAT(judging::problems_of(record),
              tells("VR-I12: task 3 of ring 0 is pinned to cluster -1, but its group 0 has"));
}

/// Task c, which ends at 29, joins before d, which ends at 69, or after it.
TEST(GroupStories, I11AClusterWaitsForTheLastTask) {
  for (const uint64_t joined : {14, 53}) {
    Story story = grouped();
    story.clusters[c.value] = 1;
    story.insert(orchestrator, joined, join, c, 1);
    const auto too_early = tells("VR-I11: cluster 1 comes back before the last task of its group");
    EXPECT_THAT(story.broken(), Not(too_early));
    story.at(scheduler1, give_back).t = 68;
    EXPECT_THAT(story.broken(), too_early);
  }
}

TEST(GroupStories, I11AClusterWaitsForATaskThatNeverFinishes) {
  Story story = grouped();
  story.result.error.code = ErrorCode::bad_submission;
  story.erase(aiv2, fin, d);
  for (const EventKind kind : {consume, reclaim}) story.erase(scheduler1, kind, d);
  const auto comes_back = tells("VR-I11: cluster 1 comes back, and a task of its group 0 has not");
  EXPECT_THAT(story.broken(), comes_back);
  story.erase(scheduler1, give_back);
  EXPECT_THAT(story.broken(), Not(comes_back));
}

/// Group 1 gets cluster 1 at `t`. Scheduler1 tells at 54 that group 0 has given it back, which was
/// after 50, when it took its step before.
std::vector<std::string> broken_by_group(uint64_t t) {
  Story story;
  story.insert(orchestrator, 8, allocate, no_task, 1);
  story.insert(orchestrator, 13, close, no_task, 1);
  story.insert(scheduler1, 54, give_back, no_task, 1);
  story.insert(orchestrator, t, allocate, no_task, 1);
  for (Event& event : story.log(orchestrator)) {
    if (event.kind == allocate && event.t == t) event.group = 1;
  }
  return story.broken();
}

TEST(GroupStories, I10AClusterGoesOnWhenItMayHaveComeBack) {
  const auto too_early = tells("VR-I10: group 0 has not given cluster 1 back yet");
  EXPECT_THAT(broken_by_group(49), too_early);
  EXPECT_THAT(broken_by_group(50), Not(too_early));
}

TEST(GroupStories, I29NoGroupBeginsBehindTheLastScope) {
  const auto none_is_open = tells("VR-I29: no scope is open that the group could belong to");
  Story story;
  story.insert(orchestrator, 53, allocate);
  EXPECT_THAT(story.broken(), Not(none_is_open));
  story.erase(orchestrator, allocate);
  story.insert(orchestrator, 54, allocate);
  EXPECT_THAT(story.broken(), none_is_open);
}

/// The orchestrator waits twice before it closes the group.
TEST(GroupStories, I29AGroupThatIsClosedTooLateIsNamedOnce) {
  Story story = grouped();
  story.erase(orchestrator, close);
  story.insert(orchestrator, 56, wait);
  story.insert(orchestrator, 57, close, no_task, 1);
  const std::vector<std::string> broken = story.broken();
  EXPECT_EQ(std::ranges::count_if(broken,
                                  [](const std::string& problem) {
                                    return problem.find("VR-I29: the scope of group 0 has ended") !=
                                           std::string::npos;
                                  }),
            1);
}

/// Scheduler1 sends d to its core when the scope has ended.
TEST(GroupStories, I29OthersMayDoSomethingBeforeTheGroupIsClosed) {
  Story story = grouped();
  story.at(orchestrator, wait).t = 58;
  story.erase(orchestrator, close);
  story.insert(orchestrator, 57, close, no_task, 1);
  EXPECT_THAT(story.broken(), testing::IsEmpty());
}

Event& event_of_scope(Story& story, EventKind kind, uint64_t scope) {
  return *std::ranges::find_if(story.log(orchestrator), [&](const Event& event) {
    return event.kind == kind && event.scope == scope;
  });
}

TEST(ScopeStories, I20ScopesAreNumberedAsTheyBegin) {
  Story story;
  event_of_scope(story, scope_begin, 2).scope = 7;
  EXPECT_THAT(story.broken(), tells("VR-I20: scope 7 of depth 1 begins where scope 2 of depth 1"));
  story = Story();
  event_of_scope(story, scope_begin, 2).place = 0;
  EXPECT_THAT(story.broken(), tells("VR-I20: scope 2 of depth 0 begins where scope 2 of depth 1"));
}

TEST(ScopeStories, I20TheInnermostScopeEnds) {
  Story story;
  event_of_scope(story, scope_end, 2).scope = 7;
  EXPECT_THAT(story.broken(), tells("VR-I20: scope 7 ends, but the innermost is another"));
  story = Story();
  event_of_scope(story, scope_end, 2).place = 0;
  EXPECT_THAT(story.broken(), tells("VR-I20: scope 2 ends, but the innermost is another"));
  story = Story();
  story.insert(orchestrator, 54, scope_end);
  EXPECT_THAT(story.broken(), tells("VR-I20: no scope is open"));
}

TEST(ScopeStories, I20EachScopeEndsUnlessTheRunIsGivenUp) {
  const auto never_ends = tells("VR-I20: the scope never ends");
  Story story;
  story.log(orchestrator).erase(story.log(orchestrator).end() - 3);
  EXPECT_THAT(story.broken(), never_ends);
  story.result.error.code = ErrorCode::bad_submission;
  EXPECT_THAT(story.broken(), Not(never_ends));
}

TEST(ScopeStories, I20TasksAreOfTheInnermostScope) {
  Record record = Story().record();
  record.tasks[1].scope = 0;
  EXPECT_THAT(judging::problems_of(record),
              tells("VR-I20: it is of scope 0, depth 1, not of the innermost"));
  record.tasks[1].scope = 1;
  record.tasks[1].depth = 0;
  EXPECT_THAT(judging::problems_of(record),
              tells("VR-I20: it is of scope 1, depth 0, not of the innermost"));
  Story story;
  std::erase_if(story.log(orchestrator), [](const Event& event) {
    return event.kind == scope_begin || event.kind == scope_end;
  });
  EXPECT_THAT(story.broken(), tells("VR-I20: no scope is open"));
}

/// Task b waits for a, which scheduler0 has sent; parts of it others may have sent.
TEST(GroupStories, I28WhoMayHaveCompletedAPartMakesReady) {
  const auto completed_none = tells("VR-I28: the scheduler has completed none of the task's");
  Story story;
  story.erase(scheduler0, ready, b);
  story.insert(scheduler1, 40, ready, b, vector);
  EXPECT_THAT(story.broken(), completed_none);
  story.block_dims[a.value] = 1;
  EXPECT_THAT(story.broken(), Not(completed_none));
}

/// Task a has one part.
TEST(GroupStories, I28NothingIsSaidOfPartsThatThereAreNot) {
  Story story;
  story.insert(aic0, 19, dispatch, a, aic0 - first_core, 1);
  EXPECT_THAT(story.broken(), tells("VR-I1: there is no such task or part"));
  EXPECT_THAT(story.broken(), Not(tells("VR-I28:")));
}

/// The first task of a run names a pipe, and never uses it.
TEST(GroupStories, I26ThePipesOfTheFirstTaskAreLookedAt) {
  Record record = Story().record();
  record.tasks[0].params.push_back({.pipe = true, .tag = 5});
  EXPECT_THAT(judging::problems_of(record),
              tells("VR-I26: the task of group -1 names pipe 5, and has no event of it"));
}

}  // namespace
}  // namespace pto2::test
