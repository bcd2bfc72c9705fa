/// The record that is made of what a run leaves behind.
#include "tests/runtime/judge/run_story.hpp"

namespace pto2::test {
namespace {

using testing::ElementsAre;
using enum EventKind;

TEST(MadeRecord, OnRealThreadsTimeBeginsWithTheFirstEvent) {
  const Record record = Story().record();
  EXPECT_EQ(record.events.front().t, 0U);
  Story late;
  for (uint32_t thread = 0; thread < threads; ++thread) {
    for (Event& event : late.log(thread)) event.t += 1'000'000;
  }
  EXPECT_EQ(late.record().events, record.events);
}

TEST(MadeRecord, PointsOfAScheduleStayAsTheyAre) {
  Story story;
  story.result.points = 100;
  const Record record = story.record();
  EXPECT_TRUE(record.points);
  EXPECT_EQ(record.events.front().t, 1U);
}

TEST(MadeRecord, AnEventKnowsTheOneOfItsThreadBeforeIt) {
  const Record record = Story().record();
  std::vector<uint64_t> last(threads);
  for (std::size_t i = 0; i < record.events.size(); ++i) {
    const Event& event = record.events[i];
    EXPECT_EQ(event.line, i + 2);
    EXPECT_EQ(event.before, last[event.thread]);
    EXPECT_TRUE(i == 0 || record.events[i - 1].t <= event.t);
    last[event.thread] = event.t;
  }
}

TEST(MadeRecord, SubmissionsKnowTheirEvents) {
  const Record record = Story().record();
  ASSERT_EQ(record.tasks.size(), 4U);
  for (const TaskRecord& task : record.tasks) {
    EXPECT_EQ(record.events[task.event].kind, submit);
    EXPECT_EQ(record.events[task.event].task, task.task);
  }
}

TEST(MadeRecord, HasTheMachine) {
  Story story;
  story.config.shards = 3;
  story.config.heap_bytes = 2048;
  story.config.dep_pool = 5;
  story.config.tensormap_pool = 77;
  const Record record = story.record();
  EXPECT_EQ(record.clusters, 2U);
  EXPECT_EQ(record.shards, 3U);
  EXPECT_EQ(record.tensormap_pool, 77U);
  ASSERT_EQ(record.rings.size(), 1U);
  EXPECT_EQ(record.rings[0], (RingRecord{4, 2048, 5}));
  EXPECT_THAT(record.types, ElementsAre("cube", "vector", "ai_cpu"));
}

TEST(MadeRecord, HasItsCoresAndThreads) {
  const Record record = Story().record();
  ASSERT_EQ(record.roles.size(), threads);
  EXPECT_EQ(record.roles[orchestrator], Role::orchestrator);
  EXPECT_EQ(record.roles[scheduler0], Role::scheduler);
  EXPECT_EQ(record.roles[scheduler1], Role::scheduler);
  for (uint32_t core = first_core; core < threads; ++core) {
    EXPECT_EQ(record.roles[core], Role::core);
    EXPECT_EQ(record.cores[core - first_core].thread, core);
    EXPECT_EQ(record.cores[core - first_core].name, record.threads[core]);
  }
  EXPECT_EQ(record.cores[aic1 - first_core].cluster, 1);
  EXPECT_EQ(record.cores[aic1 - first_core].scheduler, scheduler1);
  ASSERT_EQ(record.cores.size(), threads - first_core + 2) << "schedulers run tasks, too";
  EXPECT_EQ(record.cores.back().thread, scheduler1);
  EXPECT_EQ(record.cores.back().scheduler, scheduler1);
  EXPECT_EQ(record.cores.back().cluster, -1);
}

TEST(MadeRecord, HasTheOutcome) {
  Story story;
  story.result.error = {ErrorCode::not_drained, "what", "how"};
  story.result.damaged = {"ring 0"};
  Record record = story.record();
  EXPECT_EQ(record.error, "not_drained");
  EXPECT_EQ(record.message, "what");
  EXPECT_EQ(record.hint, "how");
  EXPECT_FALSE(record.given_up) << "it has run all its tasks";
  EXPECT_THAT(record.damaged, ElementsAre("ring 0"));
  EXPECT_FALSE(record.manner.weak_memory || record.manner.kernels_last || record.points);
  story.result.error.code = ErrorCode::bad_submission;
  story.result.weak_memory = story.result.kernels_last = true;
  record = story.record();
  EXPECT_TRUE(record.given_up && record.manner.weak_memory && record.manner.kernels_last);
}

/// All that was submitted has run, in spite of the call.
TEST(MadeRecord, OfACallOnAnotherThreadIsComplete) {
  Story story;
  story.result.error.code = ErrorCode::wrong_thread;
  EXPECT_FALSE(story.record().given_up);
  EXPECT_THAT(story.broken(), testing::IsEmpty());
  Story stopped = given_up();
  EXPECT_THAT(stopped.broken(), testing::IsEmpty());
  stopped.result.error.code = ErrorCode::wrong_thread;
  EXPECT_THAT(stopped.broken(), tells("VR-I2: task 1 of ring 0 has no dispatch"));
}

TEST(MadeRecord, CountsWhatFoundNoRoomInAnyLog) {
  Story story;
  story.capacity = 4;
  uint64_t dropped = 0;
  for (uint32_t thread = 0; thread < threads; ++thread) {
    dropped += story.log(thread).size() - std::min<std::size_t>(story.log(thread).size(), 4);
  }
  const Record record = story.record();
  EXPECT_EQ(record.dropped, dropped);
  EXPECT_EQ(record.tasks.size(), 1U) << "of the others there is no event";
}

TEST(MadeRecord, IsNotJudgedIfOneEventIsMissing) {
  Record record = Story().record();
  record.dropped = 1;
  EXPECT_THAT(judging::problems_of(record), ElementsAre("1 events are missing"));
}

}  // namespace
}  // namespace pto2::test
