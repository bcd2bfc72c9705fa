/// VR-I1 to VR-I9, VR-I17 and VR-I18 of runs that are made up: what each of their findings is
/// about.
#include "tests/runtime/judge/run_story.hpp"

namespace pto2::test {
namespace {

using testing::Contains;
using testing::Not;
using enum EventKind;

/// The life of task a, step by step, and who takes it.
constexpr std::pair<uint32_t, EventKind> life[] = {{orchestrator, ready}, {scheduler0, dispatch},
                                                   {aic0, ack},           {aic0, fin},
                                                   {scheduler0, consume}, {scheduler0, reclaim}};

TEST(LifeStories, I2EveryStepIsTakenOnce) {
  for (const auto& [thread, kind] : life) {
    Story without;
    without.erase(thread, kind, a);
    EXPECT_THAT(without.broken(),
                tells(std::string("VR-I2: task 0 of ring 0 has no ") + event_name(kind)));
    Story twice;
    const Event event = twice.at(thread, kind, a);
    twice.insert(thread, event.t, kind, a, event.place);
    EXPECT_THAT(twice.broken(),
                tells(std::string("VR-I2: task 0 of ring 0 has 2 events ") + event_name(kind)));
  }
}

/// Where a run is given up steps may be missing, but none before one that was taken.
TEST(LifeStories, I2NoStepIsTakenBeforeTheOneBefore) {
  for (std::size_t i = 0; i + 1 < std::size(life); ++i) {
    Story story;
    story.result.error.code = ErrorCode::bad_submission;
    story.erase(life[i].first, life[i].second, a);
    EXPECT_THAT(story.broken(),
                tells(std::string("VR-I2: task 0 of ring 0 has ") + event_name(life[i + 1].second) +
                      ", but not what comes before it"));
  }
}

TEST(LifeStories, I1ATaskThatSkipsANumberIsNamed) {
  Story story;
  story.at(orchestrator, submit, d).task = make_id(0, 7);
  EXPECT_THAT(story.broken(), tells("VR-I1: task 7 of ring 0 is not its ring's next"));
  EXPECT_THAT(story.broken(), Not(Contains(testing::ContainsRegex("no such task.*: submit"))));
}

TEST(LifeStories, I1TasksAreOfARing) {
  Story story;
  story.insert(scheduler0, 70, consume, make_id(1, 0));
  EXPECT_THAT(story.broken(), tells("VR-I1: there is no such task or part"));
}

/// To a reader, whoever is neither a scheduler nor a core is an orchestrator.
TEST(LifeStories, I1OneOrchestratorSubmits) {
  Record record = Story().record();
  record.roles[aiv2 + 1] = Role::orchestrator;
  EXPECT_THAT(judging::problems_of(record), Not(tells("VR-I1:")));
  record.events[record.tasks[3].event].thread = aiv2 + 1;
  EXPECT_THAT(judging::problems_of(record), tells("VR-I1: two threads submit tasks"));
}

TEST(LifeStories, ABrokenTaskHidesNoneBehindIt) {
  Story story;
  story.erase(scheduler0, consume, a);
  story.at(orchestrator, ready, d).place = cube;
  story.at(scheduler1, dispatch, d).t = 52;
  const std::vector<std::string> broken = story.broken();
  EXPECT_THAT(broken, tells("VR-I2: task 0 of ring 0 has no consume"));
  EXPECT_THAT(broken, tells("VR-I4: ready is later than dispatch"));
  EXPECT_THAT(broken, tells("VR-I7: ready for cores of another type"));
}

/// Task a is given up without its reclaim, and breaks many rules; if `twice`, it is consumed twice.
std::vector<std::string> broken_in_many_ways(bool twice) {
  Story story;
  story.result.error.code = ErrorCode::bad_submission;
  story.at(orchestrator, ready, a).place = vector;
  std::swap(story.at(aic0, ack, a).kind, story.at(aic0, fin, a).kind);
  story.insert(scheduler0, 3, backlog, a);
  story.at(scheduler0, ready, b).t = 22;
  story.at(scheduler0, consume, a).t = 44;
  story.erase(scheduler0, reclaim, a);
  if (twice) story.insert(scheduler0, 90, consume, a);
  Record record = story.record();
  record.tasks[0].group = 0;
  record.tasks[2].producers = {{a, Claim::early}};
  return judging::problems_of(record);
}

/// What is certain of it nobody knows.
TEST(LifeStories, OfABrokenTaskNothingElseIsSaid) {
  const std::vector<std::string> broken = broken_in_many_ways(true);
  const std::vector<std::string> whole = broken_in_many_ways(false);
  EXPECT_THAT(broken, tells("VR-I2: task 0 of ring 0 has 2 events consume"));
  EXPECT_THAT(whole, Not(tells("VR-I2:")));
  for (const char* text :
       {"VR-I4: ready is later than backlog", "VR-I4: ack is later than fin",
        "VR-I5: ready before its producer task 0 of ring 0 has finished",
        "VR-I6: task 0 of ring 0 was claimed as finished", "VR-I7: ready for cores of another type",
        "VR-I9: the core does not run this task", "VR-I12: task 0 of ring 0 joins no group",
        "VR-I13: it takes the last free slot beside that of task 0",
        "VR-I17: something that it must outlive ends later",
        "VR-I19: a task before it is not reclaimed"}) {
    EXPECT_THAT(whole, tells(text));
    EXPECT_THAT(broken, Not(tells(text)));
  }
}

TEST(LifeStories, I4AndI9AKernelEndsAfterItsBeginning) {
  Story story;
  std::swap(story.at(aiv0, ack, b).kind, story.at(aiv0, fin, b).kind);
  EXPECT_THAT(story.broken(), tells("VR-I4: ack is later than fin"));
  EXPECT_THAT(story.broken(), tells("VR-I9: the core does not run this task"));
}

TEST(LifeStories, I5AProducerIsSubmittedBefore) {
  for (const TaskId producer : {b, c, make_id(0, 9), make_id(1, 0)}) {
    Record record = Story().record();
    record.tasks[1].producers = {{producer, Claim::linked}};
    EXPECT_THAT(
        judging::problems_of(record),
        tells("VR-I5: its producer task " + std::to_string(local_of(producer)) + " of ring " +
              std::to_string(ring_of(producer).value) + " was not submitted before it"));
  }
}

/// Task d is submitted at `t`, and claims c so.
std::vector<std::string> broken_by_claim(Claim claim, uint64_t t) {
  Story story;
  story.at(orchestrator, submit, d).t = t;
  Record record = story.record();
  record.tasks[3].producers = {{c, claim}};
  return judging::problems_of(record);
}

/// Task c ends at 29; it is consumed at 50, or after 22, when its scheduler took the step before.
TEST(LifeStories, I6AClaimMayBeAsEarlyAsWhatItSays) {
  const auto finished = tells("VR-I6: task 2 of ring 0 was claimed as finished, which it was not");
  EXPECT_THAT(broken_by_claim(Claim::early, 28), finished);
  EXPECT_THAT(broken_by_claim(Claim::early, 29), Not(finished));
  const auto consumed = tells("VR-I6: task 2 of ring 0 was claimed as consumed, which it was not");
  EXPECT_THAT(broken_by_claim(Claim::none, 21), consumed);
  EXPECT_THAT(broken_by_claim(Claim::none, 22), Not(consumed));
}

TEST(LifeStories, I6NobodyClaimsWhatNeverHappens) {
  Story story = given_up();
  Record record = story.record();
  record.tasks[1].producers = {{a, Claim::none}};
  EXPECT_THAT(judging::problems_of(record),
              tells("VR-I6: task 0 of ring 0 was claimed as consumed, which it never was"));
  story.erase(aic0, fin, a);
  record = story.record();
  record.tasks[1].producers = {{a, Claim::early}};
  EXPECT_THAT(judging::problems_of(record),
              tells("VR-I6: task 0 of ring 0 was claimed as finished, which it never was"));
}

TEST(LifeStories, I9ACoreFinishesOneTaskBeforeTheNext) {
  Story story;
  story.erase(aiv2, ack, d);
  story.insert(aiv2, 27, ack, d);
  EXPECT_THAT(story.broken(), tells("VR-I9: the core has not finished another task"));
}

/// In a run that is given up a core may leave without what it was sent last; d, here, which aiv2
/// is sent while it runs c, until 29.
TEST(LifeStories, I9ACoreIsSentNothingBeforeItHasFinished) {
  const auto unfinished = tells("VR-I9: the core had not finished the task before");
  Story story;
  story.result.error.code = ErrorCode::bad_submission;
  for (const EventKind kind : {ack, fin}) story.erase(aiv2, kind, d);
  for (const EventKind kind : {consume, reclaim}) story.erase(scheduler1, kind, d);
  story.log(aiv2).erase(story.log(aiv2).end() - 2);
  EXPECT_THAT(story.broken(), Not(tells("VR-I9:")));
  story.at(aiv2, fin, c).t = 55;
  story.log(aiv2)[3].t = 56;
  EXPECT_THAT(story.broken(), Not(tells("VR-I9:"))) << "at the same time, maybe after it";
  story.at(aiv2, fin, c).t = 56;
  EXPECT_THAT(story.broken(), unfinished);
  story.erase(aiv2, fin, c);
  for (const EventKind kind : {consume, reclaim}) {
    story.erase(kind == consume ? scheduler1 : scheduler0, kind, c);
  }
  EXPECT_THAT(story.broken(), unfinished);
  story.erase(aiv2, ack, c);
  EXPECT_THAT(story.broken(), unfinished) << "it has not even begun";
}

/// Who gives a run up need not wait for its kernels.
TEST(LifeStories, I9ACoreLeavesAKernelAloneWithARun) {
  Story story;
  story.result.error.code = ErrorCode::bad_submission;
  story.erase(aiv2, fin, d);
  for (const EventKind kind : {consume, reclaim}) story.erase(scheduler1, kind, d);
  EXPECT_THAT(story.broken(), tells("VR-I9: the core runs a task meanwhile")) << "it waits";
  story.log(aiv2).erase(story.log(aiv2).end() - 2);
  EXPECT_THAT(story.broken(), Not(tells("VR-I9:")));
}

TEST(LifeStories, I9ACoreFinishesTheTaskThatItRuns) {
  Story story;
  story.at(aiv2, fin, d).task = c;
  story.at(aiv2, fin, c).task = d;
  EXPECT_THAT(story.broken(), tells("VR-I9: the core does not run this task"));
}

/// Both parts of d run on aiv2.
TEST(LifeStories, I9ACoreFinishesThePartThatItRuns) {
  Story story;
  story.block_dims[d.value] = 2;
  story.insert(scheduler1, 71, dispatch, d, aiv2 - first_core, 1);
  story.insert(aiv2, 72, ack, d, 0, 1);
  story.insert(aiv2, 73, fin, d, 0, 1);
  EXPECT_THAT(story.broken(), Not(tells("VR-I9:")));
  for (Event& event : story.log(aiv2)) {
    if (event.kind == fin && event.task == d) event.part = 1 - event.part;
  }
  EXPECT_THAT(story.broken(), tells("VR-I9: the core does not run this task"));
}

/// Task b reads what a has written until 50.
TEST(LifeStories, I17ABrokenUserHoldsNobody) {
  const auto outlives = tells("VR-I17: something that it must outlive ends later");
  Story story;
  story.at(scheduler0, consume, a).t = 44;
  EXPECT_THAT(story.broken(), outlives);
  story.insert(scheduler0, 90, consume, b);
  EXPECT_THAT(story.broken(), Not(outlives));
}

/// Task b reads what a has written, and never runs.
TEST(LifeStories, I17AndI18NobodyEndsBeforeAUserThatNeverDoes) {
  Story story = given_up();
  story.insert(scheduler0, 70, consume, a);
  story.insert(scheduler0, 71, reclaim, a);
  EXPECT_THAT(story.broken(), tells("VR-I17: something that uses it never ends"));
  EXPECT_THAT(story.broken(), tells("VR-I18: something that uses it never ends"));
}

}  // namespace
}  // namespace pto2::test
