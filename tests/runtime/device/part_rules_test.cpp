/// The rules about parts of block tasks: a made-up run that keeps them, and one that breaks each.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/runtime/device/run_story.hpp"

namespace pto2::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using enum EventKind;

/// Moves the dispatch of a task to the log of its core, as if that had claimed it.
void claim(Story& story, TaskId task, uint32_t scheduler, uint32_t core) {
  const uint64_t tick = story.at(scheduler, dispatch, task).tick;
  story.erase(scheduler, dispatch, task);
  story.insert(core, tick, dispatch, task, core - first_core);
}

/// The story with b as a block task of two parts; the second runs on aiv1 at about the same time.
Story with_parts() {
  Story story;
  story.at(orchestrator, submit, b).part = 2;
  claim(story, b, scheduler0, aiv0);
  story.insert(aiv1, 44, dispatch, b, aiv1 - first_core, 1);
  story.insert(aiv1, 46, ack, b, 0, 1);
  story.insert(aiv1, 52, fin, b, 0, 1);
  story.insert(aiv1, 53, wait);
  ++story.result.dispatches;
  ++story.result.acks;
  ++story.result.fins;
  return story;
}

/// The event of part 1 of b.
Event& of_part_1(Story& story, uint32_t thread, EventKind kind) {
  auto& log = story.log(thread);
  return *std::find_if(log.begin(), log.end(), [&](const Event& event) {
    return event.kind == kind && event.task == b && event.part == 1;
  });
}

TEST(PartRules, ABlockTaskHasEachPartOnce) {
  EXPECT_THAT(with_parts().broken(), IsEmpty());
  Story missing = with_parts();
  missing.at(orchestrator, submit, b).part = 3;
  for (const char* const kind : {"dispatch", "ack", "fin"}) {
    expect_broken(missing, "EV-I5", std::string("part 2 of task 1 of ring 0 has 0 events ") + kind);
  }
  Story twice = with_parts();
  for (const auto& [thread, kind] : {std::pair{aiv1, dispatch}, {aiv1, ack}, {aiv1, fin}}) {
    of_part_1(twice, thread, kind).part = 0;
  }
  expect_broken(twice, "EV-I5", "part 0 of task 1 of ring 0 has 2 events fin");
  expect_broken(twice, "EV-I5", "part 1 of task 1 of ring 0 has 0 events fin");
  Story unknown = with_parts();
  for (const auto& [thread, kind] : {std::pair{aiv1, dispatch}, {aiv1, ack}, {aiv1, fin}}) {
    of_part_1(unknown, thread, kind).part = 2;
  }
  expect_broken(unknown, "EV-I5", "of 2 parts, has 1 events fin of others");
}

TEST(PartRules, OnlyABlockTaskHasParts) {
  Story story = with_parts();
  story.at(orchestrator, submit, b).part = 0;
  EXPECT_THAT(story.broken(),
              testing::Contains(HasSubstr("EV-I5: task 1 of ring 0 has 2 events dispatch")));
}

TEST(PartRules, ABlockTaskEndsWithItsLastPart) {
  Story late = with_parts();
  of_part_1(late, aiv1, fin).tick = 62;
  for (Event& event : late.log(aiv1)) {
    if (event.tick == 53) event.tick = 63;
  }
  expect_broken(late, "EV-I6", "fin at 62 by aiv1 is later than consume at 60 by scheduler0");
}

TEST(PartRules, NoPartBeginsBeforeItsTaskIsReady) {
  Story first = with_parts();
  first.at(aiv0, dispatch, b).tick = 39;
  expect_broken(first, "EV-I6", "ready at 40");
  Story second = with_parts();
  of_part_1(second, aiv1, dispatch).tick = 39;
  expect_broken(second, "EV-I6", "ready at 40");
}

TEST(PartRules, APartRunsWhereItIsDispatched) {
  Story elsewhere = with_parts();
  of_part_1(elsewhere, aiv1, dispatch).detail = aiv2 - first_core;
  const auto found = elsewhere.broken();
  for (const char* const text :
       {"EV-I7: task 1 of ring 0 is dispatched to aiv2 by aiv1",
        "EV-I7: task 1 of ring 0 is dispatched to aiv2, but has its ack by aiv1"}) {
    EXPECT_THAT(found, testing::Contains(HasSubstr(text)));
  }
  Story exchanged = with_parts();
  of_part_1(exchanged, aiv1, ack).part = 0;
  EXPECT_THAT(
      exchanged.broken(),
      testing::Contains(HasSubstr("EV-I8: aiv1 has ack of task 1 of ring 0 at 46 after dispatch")));
}

TEST(PartRules, PartsAreClaimedByTheirCoreAndOthersSentByItsScheduler) {
  Story sent = with_parts();
  sent.log(aiv1).erase(std::find_if(sent.log(aiv1).begin(), sent.log(aiv1).end(),
                                    [](const Event& event) { return event.kind == dispatch; }));
  sent.insert(scheduler0, 44, dispatch, b, aiv1 - first_core, 1);
  expect_broken(sent, "EV-I7", "task 1 of ring 0 is dispatched to aiv1 by scheduler0");
  Story claimed;
  claim(claimed, b, scheduler0, aiv0);
  expect_broken(claimed, "EV-I7", "task 1 of ring 0 is dispatched to aiv0 by aiv0");
}

TEST(PartRules, WhatIsStolenIsDispatchedLentOrUsedUp) {
  Story thief = with_parts();
  thief.result.loans = 3;
  thief.result.steals = 5 + 3 + 1;
  EXPECT_THAT(thief.broken(), IsEmpty());
  ++thief.result.steals;
  expect_broken(thief, "EV-I11", "10 steals of 5 dispatches and 3 loans");
}

TEST(PartRules, ACoreClaimsPartsOneAfterTheOther) {
  Story story = with_parts();
  story.at(orchestrator, submit, b).part = 3;
  story.insert(aiv1, 52, dispatch, b, aiv1 - first_core, 2);
  story.insert(aiv1, 52, ack, b, 0, 2);
  story.insert(aiv1, 53, fin, b, 0, 2);
  for (uint64_t* count : {&story.result.dispatches, &story.result.acks, &story.result.fins}) {
    ++*count;
  }
  auto& log = story.log(aiv1);
  const auto last_fin = std::find_if(log.begin(), log.end(), [](const Event& event) {
    return event.kind == fin && event.part == 2;
  });
  const auto last_wait =
      std::find_if(log.begin(), log.end(), [](const Event& event) { return event.tick == 53; });
  if (last_wait < last_fin) std::iter_swap(last_wait, last_fin);
  EXPECT_THAT(story.broken(), IsEmpty()) << "no wait between them";
}

TEST(PartRules, NoCoreIsIdleBesideAPart) {
  Story story = with_parts();
  story.result.kernels_last = true;
  of_part_1(story, aiv1, dispatch).tick = 51;
  of_part_1(story, aiv1, ack).tick = 51;
  expect_broken(story, "EV-I12", "task 1 of ring 0 is ready since 40");
}

}  // namespace
}  // namespace pto2::test
