/// VR-I33 and VR-I34: a made-up run that keeps them, and runs that break one.
#include "tests/runtime/judge/run_story.hpp"

namespace pto2::test {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using enum EventKind;

TEST(Story, KeepsAllRules) {
  EXPECT_THAT(Story().broken(), IsEmpty());
  EXPECT_THAT(given_up().broken(), IsEmpty());
}

TEST(Story, KeepsAllRulesWithoutTime) {
  Story story;
  for (uint32_t thread = 0; thread < threads; ++thread) {
    for (Event& event : story.log(thread)) event.t = 0;
  }
  story.result.weak_memory = true;
  EXPECT_THAT(story.broken(), IsEmpty());
}

TEST(Story, NeedsAllEvents) {
  Story story;
  story.capacity = 8;
  EXPECT_THAT(story.broken(), testing::ElementsAre("12 events are missing"));
}

/// Nobody counts how often the orchestrator waits for anything but a resource.
TEST(Story, MissesNoEventAndHasNoneTwice) {
  for (uint32_t thread = 0; thread < threads; ++thread) {
    for (std::size_t i = 0; i < Story().log(thread).size(); ++i) {
      Story without;
      Story twice;
      const Event event = without.log(thread)[i];
      if (thread == orchestrator && event.kind == wait && !event.lacking) continue;
      const auto at = static_cast<std::ptrdiff_t>(i);
      without.log(thread).erase(without.log(thread).begin() + at);
      twice.log(thread).insert(twice.log(thread).begin() + at, event);
      for (const Story* story : {&without, &twice}) {
        EXPECT_THAT(story->broken(), Not(IsEmpty()))
            << event_name(event.kind) << " at " << event.t << " of log " << thread;
      }
    }
  }
}

TEST(SequenceRules, ACoreTakesItsTasksInOrder) {
  Story story;
  for (Event& event : story.log(aiv2)) {
    if (event.task != no_task) event.task = event.task == c ? d : c;
  }
  EXPECT_THAT(story.broken(), Contains(HasSubstr("VR-I33: the core was sent another one before")));
}

TEST(SequenceRules, ACoreWaitsBetweenItsTasks) {
  Story story;
  story.log(aiv2).erase(story.log(aiv2).begin() + 3);
  expect_broken(story, "VR-I33", "a core's events do not follow each other so");
}

TEST(SequenceRules, ACoreBeginsWithAWait) {
  Story story;
  story.log(aic0).erase(story.log(aic0).begin());
  expect_broken(story, "VR-I33", "a core begins with a wait");
}

TEST(SequenceRules, ACoreEndsWhatItBegins) {
  Story story = given_up();
  story.log(aiv2).resize(2);
  story.result.fins = 1;
  EXPECT_THAT(story.broken(), Contains(HasSubstr("VR-I33: it never ends")));
}

TEST(SequenceRules, TheExitSignalOvertakesOneDispatchAtMost) {
  Story story = given_up();
  story.insert(scheduler0, 55, dispatch, b, aiv0 - first_core);
  ++story.result.dispatches;
  EXPECT_THAT(story.broken(), IsEmpty());
  story.at(scheduler0, dispatch, b).place = aiv2 - first_core;
  EXPECT_THAT(story.broken(), Not(Contains(HasSubstr("VR-I33"))));
  story.erase(aiv2, ack, c);
  story.erase(aiv2, fin, c);
  story.log(aiv2).erase(story.log(aiv2).begin());
  EXPECT_THAT(story.broken(), Contains(HasSubstr("VR-I33: aiv2 takes 0 of the 2 that it is sent")));
}

TEST(SequenceRules, NothingOvertakesInARunThatEndsWell) {
  Story story;
  story.insert(scheduler0, 70, dispatch, b, aiv0 - first_core);
  EXPECT_THAT(story.broken(), Contains(HasSubstr("VR-I33: aiv0 takes 1 of the 2 that it is sent")));
}

TEST(SequenceRules, ACoreEndsNothingElseThanItBegan) {
  Story story;
  story.at(aiv2, fin, c).task = b;
  EXPECT_THAT(story.broken(), Contains(HasSubstr("VR-I33: a core's events do not follow each "
                                                 "other so")));
}

TEST(SequenceRules, ACoreDoesNotLeaveWithoutAWait) {
  Story story;
  auto& log = story.log(aic0);
  log.erase(log.end() - 2);
  expect_broken(story, "VR-I33", "a core's events do not follow each other so");
}

/// The story with b as a block task of two parts, claimed by aiv0 and aiv1.
Story with_parts() {
  Story story;
  story.block_dims[b.value] = 2;
  story.erase(scheduler0, dispatch, b);
  story.insert(aiv0, 43, dispatch, b, aiv0 - first_core);
  story.insert(aiv1, 44, dispatch, b, aiv1 - first_core, 1);
  story.insert(aiv1, 46, ack, b, 0, 1);
  story.insert(aiv1, 49, fin, b, 0, 1);
  story.insert(aiv1, 50, wait);
  ++story.result.dispatches;
  ++story.result.acks;
  ++story.result.fins;
  return story;
}

TEST(SequenceRules, ACoreClaimsPartsOneAfterTheOther) {
  Story story = with_parts();
  EXPECT_THAT(story.broken(), IsEmpty());
  story.block_dims[b.value] = 3;
  story.insert(aiv1, 49, dispatch, b, aiv1 - first_core, 2);
  story.insert(aiv1, 49, ack, b, 0, 2);
  story.insert(aiv1, 49, fin, b, 0, 2);
  for (uint64_t* count : {&story.result.dispatches, &story.result.acks, &story.result.fins}) {
    ++*count;
  }
  EXPECT_THAT(story.broken(), IsEmpty()) << "no wait between them";
}

TEST(PartRules, ABlockTaskEndsWithItsLastPart) {
  Story late = with_parts();
  late.at(scheduler0, consume, b).t = 49;
  late.at(aiv0, fin, b).t = 48;
  EXPECT_THAT(late.broken(), Not(Contains(HasSubstr("VR-I17"))));
  for (Event& event : late.log(aiv1)) {
    if (event.kind == fin) event.t = 50;
  }
  EXPECT_THAT(late.broken(), Contains(HasSubstr("VR-I17: something that it must outlive")));
}

TEST(PartRules, NoPartBeginsBeforeItsTaskIsReady) {
  for (const uint32_t core : {aiv0, aiv1}) {
    Story early = with_parts();
    early.at(core, dispatch, b).t = 39;
    expect_broken(early, "VR-I4", "ready is later than dispatch");
  }
}

TEST(LifeRules, ATaskEntersABacklogBetweenReadyAndDispatch) {
  for (const uint64_t time : {40, 42}) {
    Story story;
    story.insert(scheduler0, time, backlog, b);
    EXPECT_THAT(story.broken(), IsEmpty()) << time;
  }
  Story early;
  early.insert(scheduler0, 39, backlog, b);
  expect_broken(early, "VR-I4", "ready is later than backlog");
  Story late;
  late.insert(scheduler0, 44, backlog, b);
  expect_broken(late, "VR-I4", "backlog is later than dispatch");
}

TEST(LifeRules, ABlockTaskEntersABacklogAfterReady) {
  Story story = with_parts();
  story.insert(scheduler0, 44, backlog, b);
  EXPECT_THAT(story.broken(), IsEmpty());
  Story early = with_parts();
  early.insert(scheduler0, 39, backlog, b);
  expect_broken(early, "VR-I4", "ready is later than backlog");
}

TEST(ThreadRules, ASchedulerKeepsWhatItMadeReadyAndBlockTasks) {
  Story other;
  other.insert(scheduler1, 41, backlog, b);
  expect_broken(other, "VR-I28", "another one has made the task ready");
  Story ticket = with_parts();
  ticket.insert(scheduler1, 41, backlog, b);
  EXPECT_THAT(ticket.broken(), IsEmpty());
  Story orchestrated;  // VR-I36 has nothing to do with it
  orchestrated.result.points = 100;
  orchestrated.result.kernels_last = true;
  orchestrated.insert(orchestrator, 16, backlog, c);
  EXPECT_THAT(orchestrated.broken(), Contains(HasSubstr("VR-I28: no such step is taken by the")));
}

TEST(ThreadRules, TheOrchestratorMakesNothingReadyBeforeItSubmits) {
  Story story;
  story.erase(orchestrator, ready, a);
  story.insert(orchestrator, 9, ready, a, cube);
  EXPECT_THAT(story.broken(), tells("VR-I28: the orchestrator makes only what it submits ready"));
}

TEST(PartRules, NoTaskIsConsumedBeforeThePartThatEndsLast) {
  Story story = with_parts();
  story.erase(scheduler0, consume, b);
  story.insert(scheduler0, 49, consume, b);
  expect_broken(story, "VR-I17", "something that it must outlive ends later");
}

/// Scheduler0 tells of a at 61, after it has told of b at 60; the orchestrator cannot have
/// reclaimed c by 58, although scheduler1, which tells of b, has done nothing else since 55.
TEST(LifeRules, TasksAreReclaimedInOrderWhoeverTellsOfThem) {
  Story story;
  story.config.window = 8;
  story.erase(orchestrator, wait, d);
  story.result.waits = 0;
  for (const TaskId task : {a, b, c}) story.erase(scheduler0, reclaim, task);
  story.insert(scheduler0, 61, reclaim, a);
  story.insert(scheduler1, 62, reclaim, b);
  story.insert(orchestrator, 60, reclaim, c);
  EXPECT_THAT(story.broken(), IsEmpty());
  story.at(orchestrator, reclaim, c).t = 58;
  expect_broken(story, "VR-I19", "a task before it is reclaimed later");
}

TEST(LifeRules, NothingIsReclaimedThatRuns) {
  Story story;
  story.erase(scheduler1, reclaim, d);
  story.insert(scheduler0, 63, reclaim, d);
  EXPECT_THAT(story.broken(), Contains(HasSubstr("VR-I18: something that it must outlive")));
}

/// Task d, the fourth with a window of four, is submitted at 52.
TEST(LifeRules, TheFirstSlotIsReclaimedBeforeTheLastIsTaken) {
  Story story;
  story.erase(scheduler0, reclaim, a);
  story.insert(scheduler0, 60, reclaim, a);
  expect_broken(story, "VR-I13",
                "the last free slot beside that of task 0 of ring 0, which is not");
}

/// Kernel b, which reads what a has written, ends at 53.
Story with_a_late_reader() {
  Story story;
  story.at(aiv0, fin, b).t = 53;
  story.log(aiv0)[3].t = 54;
  return story;
}

/// As far as scheduler1 tells, which has done nothing else since 50, it reclaimed a in time.
TEST(LifeRules, TheFirstSlotIsNotInUseWhenTheLastIsTaken) {
  Story story = with_a_late_reader();
  story.erase(scheduler0, consume, a);
  story.erase(scheduler0, reclaim, a);
  story.insert(scheduler0, 54, consume, a);
  story.insert(scheduler1, 54, reclaim, a);
  expect_broken(story, "VR-I13", "of task 0 of ring 0, which is still used");
}

TEST(LifeRules, WhoIsClaimedEarlyHasFinished) {
  const auto broken_with = [](const Story& story) {
    Record record = story.record();
    record.tasks[3].producers = {{b, Claim::early}};
    return judging::problems_of(record);
  };
  const auto early =
      Contains(HasSubstr("VR-I6: task 1 of ring 0 was claimed as finished, which it"));
  EXPECT_THAT(broken_with(with_a_late_reader()), early);
  EXPECT_THAT(broken_with(Story()), Not(early));
}

TEST(SequenceRules, ACoreTakesNothingThatNobodySentIt) {
  Story story;
  for (const TaskId task : {a, b, c}) story.insert(aic1, 50, ack, task);
  EXPECT_THAT(story.broken(), Contains(HasSubstr("VR-I33: the core was sent nothing")));
}

TEST(SequenceRules, ACoreRunsThePartThatItHasClaimed) {
  Story story = with_parts();
  for (Event& event : story.log(aiv0)) event.part = event.kind == dispatch ? 0 : 1;
  for (Event& event : story.log(aiv1)) event.part = event.kind == dispatch ? 1 : 0;
  EXPECT_THAT(story.broken(), Contains(HasSubstr("VR-I33: a core's events do not follow")));
}

/// Task d is of type ai_cpu and runs on scheduler1.
Story on_a_scheduler() {
  Story story;
  story.config.chip.schedulers = 2;
  auto& core = story.log(aiv2);
  std::erase_if(core, [](const Event& event) { return event.task == d || event.t == 70; });
  story.own_task = d;
  story.at(orchestrator, ready, d).place = static_cast<uint32_t>(CoreType::ai_cpu);
  story.at(scheduler1, dispatch, d).place = story.config.chip.worker_of(SchedulerId(1)).value;
  story.insert(scheduler1, 56, ack, d);
  story.insert(scheduler1, 57, fin, d);
  return story;
}

TEST(SequenceRules, ASchedulerRunsItsOwnTaskAtOnce) {
  EXPECT_THAT(on_a_scheduler().broken(), IsEmpty());
  Story late = on_a_scheduler();
  late.insert(scheduler1, 55, wait);
  ++late.result.scheduler_parks;
  expect_broken(late, "VR-I33", "a scheduler runs what it sends itself at once");
  Story unsent = on_a_scheduler();
  const Event dispatched = unsent.at(scheduler1, dispatch, d);
  unsent.erase(scheduler1, dispatch, d);
  unsent.insert(scheduler1, 57, dispatch, d, dispatched.place);
  EXPECT_THAT(unsent.broken(), Contains(HasSubstr("VR-I33")));
}

TEST(SequenceRules, ASchedulerEndsWhatItBegan) {
  Story other = on_a_scheduler();
  other.at(scheduler1, fin, d).task = c;
  EXPECT_THAT(other.broken(), Contains(HasSubstr("VR-I33: a scheduler runs what it sends itself")));
  Story late = on_a_scheduler();
  late.insert(scheduler1, 56, wait);
  ++late.result.scheduler_parks;
  EXPECT_THAT(late.broken(), Contains(HasSubstr("VR-I33: a scheduler runs what it sends itself at "
                                                "once (line 46: wait")));
}

TEST(SequenceRules, ASchedulerEndsNothingThatItHasNotBegun) {
  Story story;
  story.insert(scheduler0, 30, fin, a);
  EXPECT_THAT(story.broken(), tells("VR-I33: a scheduler runs what it sends itself at once"));
}

TEST(SequenceRules, ASchedulerRunsThePartThatItHasSentItself) {
  Story story = on_a_scheduler();
  story.block_dims[d.value] = 2;
  for (const EventKind kind : {ack, fin}) story.at(scheduler1, kind, d).part = 1;
  EXPECT_THAT(story.broken(), tells("VR-I33: a scheduler runs what it sends itself at once"));
}

TEST(SequenceRules, ACoreClaimsOnePartAtATime) {
  Story story = with_parts();
  story.block_dims[b.value] = 3;
  story.insert(aiv1, 43, dispatch, b, aiv1 - first_core, 2);
  EXPECT_THAT(story.broken(), tells("VR-I33: a core's events do not follow each other so"));
}

TEST(CoreRules, ATaskEndsOnTheCoreThatItWasSentTo) {
  Story story;
  story.erase(aiv0, fin, b);
  story.insert(aiv1, 50, fin, b);
  EXPECT_THAT(story.broken(), testing::Contains(testing::ContainsRegex(
                                  "VR-I7: it was dispatched to another core .line [0-9]+: fin")));
}

/// Core aiv2 runs c, then b until 56, and is sent d at 55.
TEST(CoreRules, ACoreHasEndedItsLastTaskWhenItIsSentAnother) {
  Story story;
  story.erase(scheduler0, dispatch, b);
  story.insert(scheduler1, 43, dispatch, b, aiv2 - first_core);
  std::erase_if(story.log(aiv0), [](const Event& event) { return event.task == b; });
  story.insert(aiv2, 45, ack, b);
  story.insert(aiv2, 56, fin, b);
  EXPECT_THAT(story.broken(), tells("VR-I9: the core had not finished the task before"));
}

TEST(PartRules, AreToldWithTheFirstPart) {
  Story story = with_parts();
  story.at(aiv0, ack, b).t = 42;
  EXPECT_THAT(story.broken(), tells("ack of task 1 of ring 0, part 0"));
}

TEST(ExitRules, ACoreLeavesBeforeItsScheduler) {
  Story story;
  story.at(aiv2, exit).t = 97;
  expect_broken(story, "VR-I34", "its scheduler has left before");
  story.at(aiv2, exit).t = 96;
  EXPECT_THAT(story.broken(), IsEmpty()) << "at the same time is not later";
}

TEST(ExitRules, NoCoreLeavesBeforeTheLastKernelEnds) {
  Story story;
  story.at(aic1, exit).t = 68;
  expect_broken(story, "VR-I34", "a kernel ends after it");
  story.at(aic1, exit).t = 69;
  EXPECT_THAT(story.broken(), IsEmpty());
  story.at(aic1, exit).t = 68;
  story.result.error.code = ErrorCode::bad_submission;
  EXPECT_THAT(story.broken(), IsEmpty());
}

/// Task d has a as a producer that had finished, and a is consumed before d runs.
TEST(LifeRules, WhoWasClaimedEarlyIsKeptByItsConsumer) {
  const auto broken_with = [](Claim claim) {
    Record record = Story().record();
    record.tasks[3].producers = {{a, claim}};
    return judging::problems_of(record);
  };
  const auto outlived = Contains(HasSubstr("VR-I17: something that it must outlive ends later"));
  EXPECT_THAT(broken_with(Claim::linked), outlived);
  EXPECT_THAT(broken_with(Claim::early), outlived);
  EXPECT_THAT(broken_with(Claim::none), Not(outlived));
}

/// The parts of b are of a group; the one that joins first ends last, at 50.
Story with_a_group(uint64_t give_back_at) {
  Story story = with_parts();
  story.clusters[b.value] = 0;
  for (const uint32_t core : {aiv0, aiv1}) story.erase(core, dispatch, b);
  for (const uint32_t part : {0U, 1U}) {
    story.insert(scheduler0, 43, dispatch, b, aiv0 + part - first_core, part);
  }
  story.insert(orchestrator, 11, allocate);
  story.insert(orchestrator, 12, join, b, 0, 0);
  story.insert(orchestrator, 12, join, b, 0, 1);
  story.insert(orchestrator, 12, close);
  story.insert(scheduler0, give_back_at, give_back);
  return story;
}

TEST(GroupRules, AClusterComesBackAfterThePartThatEndsLast) {
  EXPECT_THAT(with_a_group(50).broken(), IsEmpty());
  expect_broken(with_a_group(49), "VR-I11",
                "cluster 0 comes back before the last task of its group 0 ends");
}

/// Group 0 gives cluster 0 back before group 1 gets it at 57, but scheduler1 tells of that at 74,
/// when group 1 has given it back, too.
Story with_two_groups(uint64_t second_at) {
  Story story;
  std::vector<Event>& log = story.log(orchestrator);
  for (Event& event : log) event.t += event.scope == 0 && event.t == 54 ? 4 : 0;
  story.at(orchestrator, wait).t = 58;
  story.insert(orchestrator, 8, allocate);
  story.insert(orchestrator, 8, close);
  for (const EventKind kind : {allocate, close}) {
    const Event event{.t = second_at, .group = 1, .kind = kind};
    log.insert(std::ranges::find(log, 58U, &Event::t), event);
  }
  story.insert(scheduler0, 63, give_back);
  story.insert(scheduler1, 74, give_back);
  return story;
}

TEST(GroupRules, AClusterMayComeBackLongBeforeAnybodyTellsOfIt) {
  EXPECT_THAT(with_two_groups(57).broken(), IsEmpty());
  expect_broken(with_two_groups(54), "VR-I10", "group 0 has not given cluster 0 back yet");
}

}  // namespace
}  // namespace pto2::test
