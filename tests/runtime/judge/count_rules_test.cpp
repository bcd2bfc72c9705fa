/// VR-I35 and VR-I37: counts that the events contradict, structures that are not whole.
#include "tests/runtime/judge/run_story.hpp"

namespace pto2::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// Of the others there is nothing in the events.
TEST(CountRules, EachCountAgreesWithTheEvents) {
  for (const char* name :
       {"tasks", "edges_linked", "edges_early", "holds", "dispatches", "acks", "fins",
        "slots_recycled", "waits", "scheduler_parks", "completions", "peak_window"}) {
    const auto rows = count_table();
    const auto row = std::ranges::find_if(
        rows, [name](const CountRow& entry) { return std::string(name) == entry.name; });
    ASSERT_NE(row, rows.end()) << name;
    Story more;
    ++(more.result.*row->member);
    expect_broken(more, "VR-I35", std::string(name) + " is ");
    if (more.result.*row->member == 1) continue;
    Story fewer;
    --(fewer.result.*row->member);
    expect_broken(fewer, "VR-I35", std::string(name) + " is ");
  }
}

TEST(CountRules, TheOrchestratorMaySeeMoreSlotsInUse) {
  Story story;
  story.config.window = 8;
  story.erase(orchestrator, EventKind::wait, d);
  story.result.waits = 0;
  story.result.peak_window = 4;
  EXPECT_THAT(story.broken(), IsEmpty());
  story.result.peak_window = 5;
  expect_broken(story, "VR-I35", "peak_window is 5, but the events say 3 to 4");
  story.result.peak_window = 2;
  expect_broken(story, "VR-I35", "peak_window is 2, but the events say 3 to 4");
}

TEST(CountRules, WithoutTasksNoSlotIsInUse) {
  Story story;
  for (uint32_t thread = 0; thread < threads; ++thread) {
    std::erase_if(story.log(thread), [&](const Event& event) {
      const bool of_core = thread >= first_core && event.kind == EventKind::wait && event.t > 2;
      return event.task != no_task || of_core;
    });
  }
  story.result = {};
  story.result.scheduler_parks = 1;
  EXPECT_THAT(story.broken(), IsEmpty());
  story.result.peak_window = 1;
  expect_broken(story, "VR-I35", "peak_window is 1, but the events say 0");
}

/// A ring without tasks takes nothing from what another has seen.
TEST(CountRules, EachRingBoundsTheSlotsInUse) {
  Story story;
  story.config.rings = 2;
  story.config.window = 8;
  story.result.peak_window = 2;
  EXPECT_THAT(story.broken(),
              testing::Contains(HasSubstr("peak_window is 2, but the events say 3 to 4")));
}

/// A claim that came to nothing is counted nowhere.
TEST(CountRules, ClaimsAreCountedByWhatTheyCameTo) {
  Record record = Story().record();
  ASSERT_EQ(record.tasks.size(), 4U);
  for (TaskRecord& task : record.tasks) {
    task.producers.clear();
    for (const auto& [claim, times] :
         {std::pair(Claim::linked, 3), std::pair(Claim::early, 2), std::pair(Claim::none, 4)}) {
      task.producers.insert(task.producers.end(), times, {a, claim});
    }
    task.holds = {a, c, d, a, c};
  }
  const std::vector<std::string> broken = judging::problems_of(record);
  EXPECT_THAT(broken, tells("edges_linked is 1, but the events say 12"));
  EXPECT_THAT(broken, tells("edges_early is 0, but the events say 8"));
  EXPECT_THAT(broken, tells("holds is 0, but the events say 20"));
}

TEST(CountRules, WhatIsStolenIsDispatchedOrLent) {
  Story thief;
  thief.result.steals = 4;
  EXPECT_THAT(thief.broken(), IsEmpty());
  ++thief.result.steals;
  expect_broken(thief, "VR-I35", "steals is 5, but the events say 0 to 4");
  thief.result.loans = 1;
  EXPECT_THAT(thief.broken(), IsEmpty());
  thief.result.steals = 1;
  thief.config.shards = 1;
  expect_broken(thief, "VR-I35", "steals is 1, but the events say 0");
}

TEST(CountRules, WhatIsGivenUpCompletesNoMoreThanItEnds) {
  Story story = given_up();
  for (const uint64_t completions : {0U, 2U}) {
    story.result.completions = completions;
    EXPECT_THAT(story.broken(), IsEmpty());
  }
  story.result.completions = 3;
  expect_broken(story, "VR-I35", "completions is 3, but the events say 0 to 2");
}

/// Each of the two schedulers may have taken one that it was to run itself.
TEST(CountRules, WhatIsGivenUpMayHaveBeenStolenInVain) {
  Story story = given_up();
  story.result.steals = 4;
  EXPECT_THAT(story.broken(), IsEmpty());
  story.result.steals = 5;
  expect_broken(story, "VR-I35", "steals is 5, but the events say 0 to 4");
}

/// What was consumed has completed.
TEST(CountRules, WhatIsGivenUpCompletesNoLessThanIsConsumed) {
  Story story = given_up();
  story.insert(scheduler0, 51, EventKind::consume, a);
  story.insert(scheduler1, 50, EventKind::consume, c);
  story.result.completions = 2;
  EXPECT_THAT(story.broken(), testing::Not(testing::Contains(HasSubstr("VR-I35"))));
  story.result.completions = 1;
  EXPECT_THAT(story.broken(),
              testing::Contains(HasSubstr("completions is 1, but the events say 2")));
}

/// The ticket of a block task may be stolen when there is nothing left of it.
TEST(CountRules, WhatIsStolenMayBeATicketThatIsUsedUp) {
  Story story;
  story.block_dims[b.value] = 1;
  story.result.steals = 5;
  EXPECT_THAT(story.broken(), testing::Not(testing::Contains(HasSubstr("VR-I35"))));
  story.result.steals = 6;
  EXPECT_THAT(story.broken(),
              testing::Contains(HasSubstr("steals is 6, but the events say 0 to 5")));
}

/// A slot is free at once when its task has ended.
TEST(CountRules, WhatEndsWithASubmissionMayBeSeenAsEnded) {
  Story story;
  story.config.window = 8;
  story.erase(orchestrator, EventKind::wait, d);
  story.result.waits = 0;
  story.at(orchestrator, EventKind::submit, d).t = 30;
  EXPECT_THAT(story.broken(), IsEmpty()) << "a ends at 30";
  story.at(orchestrator, EventKind::submit, d).t = 29;
  expect_broken(story, "VR-I35", "peak_window is 3, but the events say 4");
}

/// However many kernels have ended: a block task has several.
TEST(CountRules, ARunToItsEndCompletesEachTaskOnce) {
  Story story;
  story.result.fins = story.result.completions = 5;
  EXPECT_THAT(story.broken(), tells("completions is 5, but the events say 4"));
}

TEST(CountRules, OlderFilesHaveNone) {
  Record record = Story().record();
  record.counts->acks = 77;
  EXPECT_THAT(judging::problems_of(record), testing::SizeIs(1));
  record.counts.reset();
  EXPECT_THAT(judging::problems_of(record), IsEmpty());
}

TEST(CountRules, EveryStructureIsWhole) {
  Story story;
  story.result.damaged = {"ring 2", "life cycle"};
  EXPECT_THAT(story.broken(), ElementsAre(HasSubstr("VR-I37: ring 2 is damaged"),
                                          HasSubstr("VR-I37: life cycle is damaged")));
}

}  // namespace
}  // namespace pto2::test
