/// VR-I36: runs in which a core could have had a task, and runs that look like that.
#include "tests/runtime/judge/run_story.hpp"

namespace pto2::test {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using enum EventKind;

/// Task d is ready from 47 on and dispatched at 55; b ends at 50, and aiv1 is idle.
Story idle_beside_d() {
  Story story;
  story.config.window = 8;
  story.erase(orchestrator, wait, d);
  story.result.waits = 0;
  story.result.points = 100;
  story.at(orchestrator, submit, d).t = 46;
  story.at(orchestrator, ready, d).t = 47;
  return story;
}

TEST(IdleCores, NoneIsIdleBesideAReadyTaskWhenAKernelEnds) {
  Story story = idle_beside_d();
  EXPECT_THAT(story.broken(), IsEmpty()) << "any schedule may do so";
  story.result.kernels_last = true;
  expect_broken(story, "VR-I36", "it is ready, aiv1 is idle, and at 50, when a kernel ends");
}

/// The share of a block task that it was lent keeps others from being woken.
TEST(IdleCores, MayBeAsideWhenAnotherIsLost) {
  Story story = idle_beside_d();
  story.result.kernels_last = true;
  story.result.error.code = ErrorCode::core_lost;
  EXPECT_THAT(story.broken(), Not(Contains(HasSubstr("VR-I36"))));
}

/// Task c is ready from 15 on and dispatched at 30, when a ends: until then nobody was about to.
TEST(IdleCores, AreJudgedAtAnEndBesideWhichOthersGoOn) {
  Story story;
  story.result.points = 100;
  story.result.kernels_last = true;
  story.at(scheduler1, dispatch, c).t = 30;
  for (Event& event : story.log(aiv2)) event.t += event.t >= 24 && event.t <= 30 ? 8 : 0;
  expect_broken(story, "VR-I36", "it is ready, aiv0 is idle, and at 30, when a kernel ends");
}

TEST(IdleCores, MayBeAsideWhenTheTaskIsReadyWithTheEnd) {
  Story story = idle_beside_d();
  story.result.kernels_last = true;
  story.at(orchestrator, ready, d).t = 50;
  EXPECT_THAT(story.broken(), IsEmpty());
}

TEST(IdleCores, AreNotThoseThatHaveLeft) {
  Story story = idle_beside_d();
  story.result.kernels_last = true;
  story.result.error.code = ErrorCode::bad_submission;
  for (const uint32_t core : {aiv1, aiv2, aiv2 + 1}) story.at(core, exit).t = 46;
  EXPECT_THAT(story.broken(), Not(Contains(HasSubstr("VR-I36"))));
}

/// But for aiv2, which has run c, all vector cores are busy or have left.
TEST(IdleCores, AreIdleAgainBehindAKernel) {
  Story story = idle_beside_d();
  story.result.kernels_last = true;
  story.result.error.code = ErrorCode::bad_submission;
  for (const uint32_t core : {aiv1, aiv2 + 1}) story.at(core, exit).t = 46;
  EXPECT_THAT(story.broken(), Contains(HasSubstr("aiv2 is idle, and at 50, when a kernel ends")));
}

TEST(IdleCores, NoTaskIsReadyForLongBesideOneThatIsIdleAllTheTime) {
  const Story story;
  // c is ready for 7, d for 2, a for 9, b for 3; all but aic0, aiv0 and aiv2 are idle for good.
  EXPECT_THAT(story.broken(9), IsEmpty());
  expect_broken(story, "VR-I36", "it is ready, aic0 is idle, all the time until 19", 8);
  EXPECT_THAT(story.broken(8), SizeIs(1));
  EXPECT_THAT(story.broken(6), SizeIs(2));
  EXPECT_THAT(story.broken(), IsEmpty()) << "on demand alone";
}

TEST(IdleCores, NothingIsSaidOfATaskThatIsBroken) {
  Story twice;
  twice.insert(scheduler0, 90, consume, a);
  EXPECT_THAT(twice.broken(8), Not(Contains(HasSubstr("VR-I36"))));
  Story early;
  early.at(scheduler0, dispatch, a).t = 5;
  EXPECT_THAT(early.broken(9), Not(Contains(HasSubstr("VR-I36")))) << "it was not ready";
}

TEST(IdleCores, ATaskThatNobodyDispatchesIsReadyUntilACoreLeaves) {
  const Story story = given_up();
  EXPECT_THAT(story.broken(50), IsEmpty()) << "b is ready at 39, aic0 leaves at 89";
  expect_broken(story, "VR-I36", "it is ready, aiv0 is idle, all the time until 89", 49);
}

/// Who leaves with the last moment of the wait was idle all the time.
TEST(IdleCores, ACoreIsIdleUntilItLeaves) {
  Story story = given_up();
  for (const uint32_t core : {aiv0, aiv1, aiv2, aiv2 + 1}) story.at(core, exit).t = 89;
  EXPECT_THAT(story.broken(48), tells("it is ready, aiv0 is idle, all the time until 88"));
}

/// Nobody knows how long it was ready.
TEST(IdleCores, ATaskThatNobodyDispatchesIsNotJudgedIfNoCoreLeaves) {
  Story story = given_up();
  for (uint32_t thread = scheduler0; thread < threads; ++thread) story.erase(thread, exit);
  EXPECT_THAT(story.broken(49), Not(tells("VR-I36")));
}

TEST(IdleCores, ATaskThatIsNeverReadyIsNotJudged) {
  Story story = given_up();
  story.erase(scheduler0, ready, b);
  EXPECT_THAT(story.broken(9), Not(tells("VR-I36")));
}

TEST(IdleCores, ABacklogMayNameATaskThatNobodySubmitted) {
  Story story = idle_beside_d();
  story.result.points = 0;
  story.insert(scheduler0, 40, backlog, make_id(0, 77));
  EXPECT_THAT(story.broken(7), tells("aiv1 is idle, all the time until 54"));
}

/// Task a is ready from 11 on, and c ends at 18. The second cube core has left.
Story cube_beside_an_end() {
  Story story = given_up();
  story.result.points = 100;
  story.result.kernels_last = true;
  story.at(aic1, exit).t = 15;
  story.at(scheduler1, dispatch, c).t = 16;
  for (Event& event : story.log(aiv2)) event.t -= event.t >= 24 && event.t <= 30 ? 7 : 0;
  story.at(aiv2, fin, c).t = 18;
  return story;
}

TEST(IdleCores, TheFirstCoreIsOneOfThem) {
  EXPECT_THAT(cube_beside_an_end().broken(), tells("aic0 is idle, and at 18, when a kernel ends"));
  Story gone = cube_beside_an_end();
  gone.erase(scheduler0, dispatch, a);
  std::erase_if(gone.log(aic0), [](const Event& event) { return event.t > 15; });
  gone.insert(aic0, 15, exit);
  EXPECT_THAT(gone.broken(), Not(tells("VR-I36")));
}

/// Which task a report is about that there is at an end.
auto tells_at_end_of(int task) {
  return Contains(
      testing::ContainsRegex("when a kernel ends, nobody is about to dispatch it .line "
                             "[0-9]+: ready of task " +
                             std::to_string(task)));
}

/// Others are dispatched already, are not yet ready, or wait for another core.
TEST(IdleCores, TheTaskThatWaitsIsReported) {
  Story dispatched = idle_beside_d();
  dispatched.result.kernels_last = true;
  EXPECT_THAT(dispatched.broken(), tells_at_end_of(3));
  Story ready_then;
  ready_then.result.points = 100;
  ready_then.result.kernels_last = true;
  ready_then.at(scheduler0, ready, b).t = 30;
  ready_then.at(scheduler1, dispatch, c).t = 30;
  for (Event& event : ready_then.log(aiv2)) event.t += event.t >= 24 && event.t <= 30 ? 8 : 0;
  EXPECT_THAT(ready_then.broken(), tells_at_end_of(2));
  Story elsewhere = cube_beside_an_end();
  elsewhere.erase(scheduler0, dispatch, a);
  std::erase_if(elsewhere.log(aic0), [](const Event& event) { return event.t > 15; });
  elsewhere.insert(aic0, 15, exit);
  elsewhere.at(scheduler0, ready, b).t = 16;
  EXPECT_THAT(elsewhere.broken(), tells_at_end_of(1));
}

TEST(IdleCores, ALimitIsOfRealTime) {
  Story story;
  story.result.points = 100;
  EXPECT_THAT(story.broken(1), IsEmpty()) << "a schedule may be as unfair as it likes";
}

/// Task a, which is ready for 9, may run on aic0 alone once the other one has left.
TEST(IdleCores, ACoreIsIdleUntilItIsSentTheTask) {
  Story story = given_up();
  story.at(aic1, exit).t = 15;
  EXPECT_THAT(story.broken(8), Contains(HasSubstr("aic0 is idle, all the time until 19")));
}

/// Of d, which is pinned to the cluster, aiv2 and the core beside it are the only ones.
Story pinned_d(uint32_t cluster) {
  Story story = idle_beside_d();
  story.result.kernels_last = true;
  story.clusters[d.value] = cluster;
  story.insert(orchestrator, 8, allocate, no_task, cluster);
  story.insert(orchestrator, 46, join, d, cluster);
  story.insert(orchestrator, 54, close, no_task, cluster);
  story.insert(scheduler1, 75, give_back, no_task, cluster);
  return story;
}

TEST(IdleCores, APinnedTaskWaitsForTheCoresOfItsCluster) {
  expect_broken(pinned_d(1), "VR-I36", "idle, and at 50, when a kernel ends");
  Story busy = pinned_d(1);
  busy.at(orchestrator, ready, d).t = 50;
  EXPECT_THAT(busy.broken(), IsEmpty());
}

/// In cluster 0 aiv0 runs b until 50, and aiv1 has left.
TEST(IdleCores, APinnedTaskDoesNotWaitForThoseOfAnotherCluster) {
  const auto broken_in = [](uint32_t cluster) {
    Story story = pinned_d(cluster);
    story.result.points = 0;
    story.result.kernels_last = false;
    story.result.error.code = ErrorCode::bad_submission;
    story.at(aiv1, exit).t = 46;
    return story.broken(7);
  };
  EXPECT_THAT(broken_in(1), tells("aiv2 is idle, all the time until 54"));
  EXPECT_THAT(broken_in(0), Not(tells("all the time until 54")));
}

/// The only core for d ends c when d becomes ready.
TEST(IdleCores, ACoreIsIdleOnceItsKernelEnds) {
  Story story = pinned_d(1);
  story.result.points = 0;
  story.result.kernels_last = false;
  story.result.error.code = ErrorCode::bad_submission;
  story.at(aiv2 + 1, exit).t = 46;
  for (Event& event : story.log(aiv2)) event.t += event.t >= 29 && event.t <= 30 ? 18 : 0;
  EXPECT_THAT(story.broken(7), tells("aiv2 is idle, all the time until 54"));
}

/// Two parts of d, in the clusters of two schedulers: nobody is busy who may have its ticket.
TEST(IdleCores, PartsWhoseTicketIsWithASchedulerThatServesAreServed) {
  Story story = idle_beside_d();
  story.result.kernels_last = true;
  story.block_dims[d.value] = 2;
  for (const uint32_t part : {0U, 1U}) story.insert(orchestrator, 46, join, d, part, part);
  story.at(scheduler1, dispatch, d).part = 1;
  for (const EventKind kind : {ack, fin}) story.at(aiv2, kind, d).part = 1;
  story.insert(scheduler0, 55, dispatch, d, aiv1 - first_core);
  story.insert(aiv1, 56, ack, d);
  story.insert(aiv1, 57, fin, d);
  EXPECT_THAT(story.broken(), tells("aiv1 is idle, and at 50, when a kernel ends"));
}

TEST(IdleCores, AWaitDoesNotCountWhileEveryHostMayBeBusy) {
  Story story = idle_beside_d();
  story.result.points = 0;
  story.at(scheduler1, dispatch, d).t = 63;
  story.result.host_threads = 2;
  expect_broken(story, "VR-I36", "all the time until 62", 12);
  EXPECT_THAT(story.broken(13), IsEmpty()) << "b runs until 50";
  story.at(aiv0, ack, b).t = 48;
  expect_broken(story, "VR-I36", "all the time until 62", 13);
  EXPECT_THAT(story.broken(14), IsEmpty()) << "b is sent at 43 and runs from 48 on";
  story.at(aiv0, ack, b).t = 45;
  story.result.host_threads = 3;
  expect_broken(story, "VR-I36", "all the time until 62", 13);
}

/// With one host thread d, which is ready from 47 on, waits for that until the orchestrator has
/// nothing to do, from 55 on.
TEST(IdleCores, AnOrchestratorThatIsDoneLeavesItsHostToOthers) {
  Story story = idle_beside_d();
  story.result.points = 0;
  story.result.host_threads = 1;
  story.at(scheduler1, dispatch, d).t = 63;
  EXPECT_THAT(story.broken(8), IsEmpty());
  expect_broken(story, "VR-I36", "all the time until 62", 7);
  story.at(orchestrator, wait).t = 61;
  expect_broken(story, "VR-I36", "all the time until 62", 1);
  EXPECT_THAT(story.broken(2), IsEmpty());
  story.erase(orchestrator, wait);
  EXPECT_THAT(story.broken(0), IsEmpty()) << "it may be in a call until it leaves";
  story.at(orchestrator, exit).t = 60;
  EXPECT_THAT(story.broken(2), tells("all the time until 62"));
  EXPECT_THAT(story.broken(3), Not(tells("all the time until 62")));
}

/// Where a record has no exit nobody knows which wait was the last.
TEST(IdleCores, AnOrchestratorThatDoesNotLeaveMayRunAfterItsWait) {
  Story story = idle_beside_d();
  story.result.points = 0;
  story.result.host_threads = 1;
  story.at(scheduler1, dispatch, d).t = 63;
  story.erase(orchestrator, exit);
  EXPECT_THAT(story.broken(0), Not(tells("VR-I36")));
}

/// The orchestrator waits for a slot from 16 to 52; c is ready from 15 to 22.
TEST(IdleCores, AnOrchestratorThatWaitsLeavesItsHostToOthers) {
  Story story;
  story.result.host_threads = 1;
  EXPECT_THAT(story.broken(6), IsEmpty());
  expect_broken(story, "VR-I36", "aiv0 is idle, all the time until 21", 5);
  EXPECT_THAT(story.broken(1), Not(tells("until 54"))) << "it has gone on by then";
  story.at(orchestrator, wait, d).lacking.reset();
  EXPECT_THAT(story.broken(5), Not(tells("VR-I36"))) << "not for a resource: who goes on, goes on";
}

/// A wait that ends with the run is not followed by what it was for: calls do nothing any more,
/// and the orchestration may go on between them for long.
TEST(IdleCores, AnOrchestrationThatGoesOnInARunGivenUpNeedsAHost) {
  Story story = given_up();
  story.result.host_threads = 1;
  story.insert(orchestrator, 16, wait, d);
  story.at(orchestrator, wait, d).lacking = Resource::task_ring;
  EXPECT_THAT(story.broken(0), Not(tells("until 21")));
  story.erase(orchestrator, wait);
  EXPECT_THAT(story.broken(0), Not(tells("until 21"))) << "nor does it leave from there";
}

/// Task b runs from 48 to 50, c until 49: three threads are busy for 1 of the 16 that d waits.
TEST(IdleCores, KernelsKeepHostsBusyInTheOrderOfTheirTimes) {
  Story story = idle_beside_d();
  story.result.points = 0;
  story.result.host_threads = 3;
  story.at(scheduler1, dispatch, d).t = 63;
  story.at(aiv0, ack, b).t = 48;
  for (Event& event : story.log(aiv2)) event.t += event.t >= 29 && event.t <= 30 ? 20 : 0;
  EXPECT_THAT(story.broken(14), tells("all the time until 62"));
  EXPECT_THAT(story.broken(15), Not(tells("VR-I36")));
}

TEST(IdleCores, AreNotJudgedInOlderFiles) {
  Story story = idle_beside_d();
  story.result.kernels_last = true;
  Record record = story.record();
  EXPECT_THAT(judging::problems_of(record), SizeIs(1));
  record.counts.reset();
  EXPECT_THAT(judging::problems_of(record), IsEmpty());
}

}  // namespace
}  // namespace pto2::test
