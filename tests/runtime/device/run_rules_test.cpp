/// Each rule twice: a made-up run that keeps it, and one that breaks it and no other.
#include "runtime/device/run_rules.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/runtime/device/run_story.hpp"

namespace pto2::test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;
using enum EventKind;

TEST(RunRules, HoldForARunThatEndedWell) {
  EXPECT_THAT(Story().broken(), IsEmpty());
}

TEST(RunRules, HoldForARunThatWasGivenUp) {
  EXPECT_THAT(given_up().broken(), IsEmpty());
}

TEST(RunRules, HoldWithoutTime) {
  Story story;
  for (uint32_t thread = 0; thread < threads; ++thread) {
    for (Event& event : story.log(thread)) event.tick = 0;
  }
  EXPECT_THAT(story.broken(), IsEmpty());
}

TEST(RunRules, NeedTheEvents) {
  Story story;
  EXPECT_THAT(broken_rules(story.config, story.result),
              ElementsAre("EV-I1: 0 event logs of 9 threads; run with DeviceConfig::events"));
}

TEST(RunRules, NeedAllEvents) {
  Story story;
  story.capacity = 8;
  expect_broken(story, "EV-I1", "2 events of orchestrator found their buffer full");
}

TEST(RunRules, NeedTheLogsInOrder) {
  Story story;
  (void)story.broken();
  std::swap(story.result.events[1], story.result.events[2]);
  EXPECT_THAT(broken_rules(story.config, story.result),
              ElementsAre("EV-I1: log 1 is of scheduler1, not of scheduler0",
                          "EV-I1: log 2 is of scheduler0, not of scheduler1"));
}

TEST(RunRules, AnEventStandsInTheLogOfAThreadThatCanCauseIt) {
  const struct {
    uint32_t from;
    EventKind kind;
    uint32_t to;
  } moves[] = {{orchestrator, submit, scheduler0},
               {orchestrator, ready, aic0},
               {scheduler0, consume, aic0},
               {scheduler0, reclaim, aic0},
               {scheduler0, dispatch, orchestrator},
               {aic0, ack, orchestrator},
               {aic0, fin, orchestrator}};
  for (const auto& [from, kind, to] : moves) {
    Story story;
    const Event event = story.at(from, kind, a);
    story.erase(from, kind, a);
    story.insert(to, event.tick, kind, a, event.detail);
    EXPECT_THAT(story.broken(),
                testing::Contains(StartsWith(std::string("EV-I2: ") + event_name(kind) +
                                             " of task 0 of ring 0 in the log of ")));
  }
}

TEST(RunRules, TimesOfAThreadDoNotDescend) {
  Story story;
  story.at(aic0, wait).tick = 26;
  expect_broken(story, "EV-I3", "aic0 has ack at 25 after an event at 26");
}

TEST(RunRules, TasksOfARingAreSubmittedInTheirTurn) {
  Story story;
  story.erase(orchestrator, submit, c);
  story.result.tasks = 3;
  const std::vector<std::string> broken = story.broken();
  EXPECT_THAT(broken, testing::Contains("EV-I4: submit of task 1 of ring 1 by orchestrator at 52, "
                                        "which was not submitted in its turn"));
  EXPECT_THAT(broken, testing::Contains("EV-I4: the orchestrator waits at 16 for resource 2 and "
                                        "task 1 of ring 1"));
}

TEST(RunRules, EventsAreOfTasksThatExist) {
  Story story;
  story.insert(scheduler0, 45, ready, make_id(3, 0));
  expect_broken(story, "EV-I4", "ready of task 0 of ring 3 by scheduler0 at 45");
}

TEST(RunRules, TheOrchestratorWaitsForAResourceAndTheNextTask) {
  for (const auto& [task, resource] : {std::pair{make_id(1, 0), 2u}, {make_id(1, 1), 5u}}) {
    Story story;
    Event& event = story.at(orchestrator, wait, make_id(1, 1));
    event.task = task;
    event.detail = resource;
    expect_broken(story, "EV-I4", "the orchestrator waits at 16 for resource");
  }
}

TEST(RunRules, EachTaskHasEachEventOnce) {
  Story story;
  story.insert(scheduler0, 41, ready, b, vector);
  expect_broken(story, "EV-I5", "task 1 of ring 0 has 2 events ready");
  for (const EventKind kind : {consume, reclaim}) {
    Story without;
    without.erase(scheduler1, kind, d);
    expect_broken(without, "EV-I5", std::string("task 1 of ring 1 has no ") + event_name(kind));
  }
}

TEST(RunRules, NothingIsLeftOutInARunThatWasGivenUp) {
  Story story = given_up();
  story.erase(orchestrator, ready, c);
  expect_broken(story, "EV-I5", "task 0 of ring 1 has dispatch at 22, but no ready");
  story = given_up();
  story.insert(scheduler1, 50, reclaim, c);
  expect_broken(story, "EV-I5", "task 0 of ring 1 has reclaim at 50, but no consume");
}

TEST(RunRules, ALifeIsInOrder) {
  Story story;
  story.at(orchestrator, submit, c).tick = 15;
  story.at(orchestrator, ready, c).tick = 23;
  std::swap(story.log(orchestrator)[4], story.log(orchestrator)[5]);
  story.log(orchestrator)[4].tick = 15;
  expect_broken(story, "EV-I6",
                "ready at 23 by orchestrator is later than dispatch at 22 by sched");
  Story late;
  late.at(aiv2, fin, d).tick = 75;
  late.log(aiv2).at(6).tick = 75;
  late.at(scheduler1, consume, d).tick = 74;
  expect_broken(late, "EV-I6", "fin at 75 by aiv2 is later than consume at 74 by scheduler1");
}

TEST(RunRules, NothingIsReclaimedThatRuns) {
  Story story;
  story.erase(scheduler1, consume, d);
  story.insert(scheduler1, 76, consume, d);
  story.erase(scheduler1, reclaim, d);
  story.insert(scheduler1, 63, reclaim, d);
  EXPECT_THAT(story.broken(), testing::Contains(testing::AllOf(
                                  HasSubstr("EV-I6"), HasSubstr("is later than reclaim at 63"))));
}

TEST(RunRules, ConsumeAndReclaimHaveNoOrder) {
  Story story;
  story.at(scheduler1, consume, d).tick = 77;
  std::swap(story.log(scheduler1)[6], story.log(scheduler1)[7]);
  EXPECT_THAT(story.broken(), IsEmpty());
}

TEST(RunRules, ATaskGoesToACoreOfItsType) {
  Story story;
  story.at(scheduler0, ready, b).detail = cube;
  expect_broken(story, "EV-I7", "ready for core type 0, is dispatched to aiv0");
  story.at(scheduler0, ready, b).detail = core_types;
  expect_broken(story, "EV-I7", "task 1 of ring 0 is ready for core type 4");
}

TEST(RunRules, ATaskGoesToACoreOfItsScheduler) {
  Story story;
  const Event event = story.at(scheduler0, dispatch, b);
  story.erase(scheduler0, dispatch, b);
  story.insert(scheduler1, event.tick, dispatch, b, event.detail);
  expect_broken(story, "EV-I7", "task 1 of ring 0 is dispatched to aiv0 by scheduler1");
}

TEST(RunRules, ATaskRunsWhereItWasSent) {
  Story story;
  story.at(scheduler0, dispatch, b).detail = aiv1 - first_core;
  const std::vector<std::string> broken = story.broken();
  EXPECT_THAT(broken, testing::Contains("EV-I7: task 1 of ring 0 is dispatched to aiv1, but has "
                                        "its ack by aiv0"));
  EXPECT_THAT(broken, testing::Contains("EV-I8: aiv1 takes 0 of the 1 tasks that are dispatched "
                                        "to it"));
  story.at(scheduler0, dispatch, b).detail = 8;
  EXPECT_THAT(story.broken(),
              testing::Contains("EV-I7: task 1 of ring 0 is dispatched to core 8 of 6"));
}

TEST(RunRules, ACoreHasOneDispatchAtATime) {
  Story story;
  story.at(scheduler1, dispatch, d).tick = 28;
  std::rotate(story.log(scheduler1).begin() + 3, story.log(scheduler1).begin() + 5,
              story.log(scheduler1).begin() + 6);
  story.at(orchestrator, ready, d).tick = 20;
  story.at(orchestrator, submit, d).tick = 20;
  expect_broken(story, "EV-I8",
                "task 1 of ring 1 is dispatched to aiv2 at 28, before the fin of task 0 of ring 1 "
                "at 29");
}

TEST(RunRules, ACoreTakesItsTasksInOrder) {
  Story story;
  auto& log = story.log(aiv2);
  for (Event& event : log) {
    if (event.task == no_task) continue;
    event.task = event.task == c ? d : c;
  }
  EXPECT_THAT(story.broken(),
              testing::Contains("EV-I8: aiv2 acks task 1 of ring 1 at 24, but its dispatch number "
                                "0 is of task 0 of ring 1"));
}

TEST(RunRules, ACoreWaitsBetweenItsTasks) {
  Story story;
  story.log(aiv2).erase(story.log(aiv2).begin() + 3);
  expect_broken(story, "EV-I8", "aiv2 has ack of task 1 of ring 1 at 64 after fin");
}

TEST(RunRules, ACoreTakesNoTaskThatNobodySentIt) {
  Story story;
  for (const TaskId task : {a, b, c}) story.insert(aic1, 50, ack, task);
  EXPECT_THAT(story.broken(), testing::Contains("EV-I8: aic1 acks task 0 of ring 1 at 50, but its "
                                                "dispatch number 2 is of no task"));
}

TEST(RunRules, AnAckHasItsFin) {
  Story story = given_up();
  story.erase(aiv2, fin, c);
  story.result.fins = 1;
  expect_broken(story, "EV-I8", "aiv2 has wait of no task at 30 after ack");
}

TEST(RunRules, TheExitSignalOvertakesOneDispatchAtMost) {
  Story story = given_up();
  story.insert(scheduler1, 55, dispatch, d, aiv2 - first_core);
  ++story.result.dispatches;
  EXPECT_THAT(story.broken(), IsEmpty());
  story.insert(scheduler0, 55, dispatch, b, aiv0 - first_core);
  ++story.result.dispatches;
  EXPECT_THAT(story.broken(), IsEmpty());
  story.at(scheduler0, dispatch, b).detail = aiv2 - first_core;
  EXPECT_THAT(story.broken(), testing::Contains("EV-I8: aiv2 takes 1 of the 3 tasks that are "
                                                "dispatched to it"));
}

TEST(RunRules, EveryThreadHasItsExitLast) {
  for (const uint32_t thread : {orchestrator, scheduler1, aiv2}) {
    Story without;
    without.erase(thread, exit);
    expect_broken(without, "EV-I9", "has no exit");
    Story after;
    after.add(thread, 97, wait);
    const std::vector<std::string> broken = after.broken();
    EXPECT_THAT(broken, testing::Contains(AllOf(StartsWith("EV-I9"), HasSubstr("goes on after"))));
  }
}

TEST(RunRules, ACoreLeavesBeforeItsScheduler) {
  Story story;
  story.at(aiv2, exit).tick = 97;
  expect_broken(story, "EV-I9", "aiv2 leaves at 97, after its scheduler1 at 96");
}

TEST(RunRules, NoCoreLeavesBeforeTheLastFin) {
  Story story;
  story.at(aic1, exit).tick = 68;
  expect_broken(story, "EV-I9", "aic1 leaves at 68, before the last fin at 69");
  story.result.error.code = ErrorCode::bad_submission;
  EXPECT_THAT(story.broken(), IsEmpty());
}

TEST(RunRules, ReclaimedTasksAreTheFirstOnes) {
  Story story;
  story.result.error.code = ErrorCode::bad_submission;
  story.erase(scheduler0, reclaim, b);
  EXPECT_THAT(story.broken(), IsEmpty());
  story.insert(scheduler0, 61, reclaim, b);
  story.erase(scheduler0, reclaim, a);
  expect_broken(story, "EV-I10", "task 1 of ring 0 is reclaimed at 61, but not task 0 of ring 0");
}

TEST(RunRules, CountsAgreeWithTheEvents) {
  uint64_t RunResult::*const counts[] = {&RunResult::tasks,
                                         &RunResult::dispatches,
                                         &RunResult::acks,
                                         &RunResult::fins,
                                         &RunResult::slots_recycled,
                                         &RunResult::waits,
                                         &RunResult::scheduler_parks,
                                         &RunResult::completions};
  for (const auto count : counts) {
    Story story;
    ++(story.result.*count);
    expect_broken(story, "EV-I11", "");
  }
  Story story;
  story.result.peak_window = 3;
  expect_broken(story, "EV-I11", "peak_window is 3, but the events say 2 to 2");
  story.result.peak_window = 1;
  expect_broken(story, "EV-I11", "peak_window is 1, but the events say 2 to 2");
  Story thief;
  thief.result.steals = 4;
  EXPECT_THAT(thief.broken(), IsEmpty());
  ++thief.result.steals;
  expect_broken(thief, "EV-I11", "5 steals of 4 dispatches and 0 loans");
  thief.result.steals = 1;
  thief.config.shards = 1;
  expect_broken(thief, "EV-I11", "1 steals of 4 dispatches and 0 loans, with 1 shards");
  Story given = given_up();
  given.result.completions = 0;
  expect_broken(given, "EV-I11", "0 completions with 2 fins and 1 events consume");
}

TEST(RunRules, NoCoreIsIdleBesideAReadyTaskWhenAKernelEnds) {
  Story story;
  story.result.points = 100;
  EXPECT_THAT(story.broken(), IsEmpty());
  // d is ready from 53 on and dispatched at 55; b ends in between, and aiv1 is idle.
  story.at(aiv0, fin, b).tick = 54;
  story.log(aiv0)[3].tick = 54;
  EXPECT_THAT(story.broken(), IsEmpty()) << "any schedule may do so";
  story.result.kernels_last = true;
  expect_broken(story, "EV-I12",
                "task 1 of ring 1 is ready since 53, aiv1 is idle, and at 54, when a kernel ends");
  story.at(orchestrator, ready, d).tick = 54;
  EXPECT_THAT(story.broken(), IsEmpty()) << "ready when the kernel ends is early enough";
  story.at(orchestrator, ready, d).tick = 53;
  for (const uint32_t core : {aic1, aiv1, aiv2, aiv2 + 1}) story.at(core, exit).tick = 53;
  EXPECT_THAT(story.broken(), Not(testing::Contains(StartsWith("EV-I12"))))
      << "a core that has left is not idle";
}

TEST(RunRules, NoTaskIsReadyForLongBesideACoreThatIsIdleAllTheTime) {
  Story story;
  // c is ready for 7, d for 2, a for 9, b for 3; all but aic0, aiv0 and aiv2 are idle for good.
  EXPECT_THAT(story.broken(9), IsEmpty());
  expect_broken(story, "EV-I12", "task 0 of ring 0 is ready from 11 to 20, and aic0 is idle", 8);
  EXPECT_EQ(story.broken(8).size(), 1U);
  EXPECT_EQ(story.broken(6).size(), 2U);
}

TEST(RunRules, AWaitDoesNotCountWhileEveryHostMayBeBusy) {
  Story story;
  story.at(scheduler1, dispatch, d).tick = 63;
  story.result.host_threads = 2;
  expect_broken(story, "EV-I12", "task 1 of ring 1 is ready from 53 to 63, and aiv0 is idle", 9);
  story.at(aiv0, fin, b).tick = 55;
  story.log(aiv0)[3].tick = 55;
  EXPECT_THAT(story.broken(9), IsEmpty()) << "b runs until 55";
  story.result.host_threads = 3;
  expect_broken(story, "EV-I12", "task 1 of ring 1 is ready from 53 to 63", 9);
  story.result.host_threads = 1;
  EXPECT_THAT(story.broken(0), IsEmpty());
}

TEST(RunRules, EveryStructureIsWhole) {
  Story story;
  story.result.damaged = {"ring 2", "life cycle"};
  EXPECT_THAT(story.broken(), ElementsAre("EV-I13: damaged after the run: ring 2",
                                          "EV-I13: damaged after the run: life cycle"));
}

TEST(RunRules, NoEventIsMissingOrThereTwice) {
  for (uint32_t thread = 0; thread < threads; ++thread) {
    for (std::size_t i = 0; i < Story().log(thread).size(); ++i) {
      Story without;
      Story twice;
      Story often;
      const Event event = without.log(thread)[i];
      // Nobody counts how often the orchestrator waits for anything but a resource.
      if (thread == orchestrator && event.kind == wait && event.task == no_task) continue;
      const auto at = static_cast<std::ptrdiff_t>(i);
      without.log(thread).erase(without.log(thread).begin() + at);
      twice.log(thread).insert(twice.log(thread).begin() + at, event);
      often.log(thread).insert(often.log(thread).begin() + at, 8, event);
      for (Story* story : {&without, &twice, &often}) {
        EXPECT_THAT(story->broken(), Not(IsEmpty()))
            << event_name(event.kind) << " at " << event.tick << " of log " << thread;
      }
    }
  }
}

TEST(RunRules, OfManyTheFirstAreNamed) {
  Story story;
  for (int i = 0; i < 30; ++i) story.add(scheduler1, 96, exit);
  const std::vector<std::string> broken = story.broken(1000);
  EXPECT_EQ(broken.size(), 1U) << "too many for the buffer";
  story.capacity = 64;
  EXPECT_EQ(story.broken().size(), 21U);
  EXPECT_EQ(story.broken().back(), "and 10 more");
}

}  // namespace
}  // namespace pto2::test
