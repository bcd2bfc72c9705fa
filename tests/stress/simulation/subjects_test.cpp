/// Random graphs as a subject: what is wrong stays wrong on its way to a token and back.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "runtime/executors/seeded_team.hpp"
#include "runtime/workloads/workload.hpp"
#include "stress/simulation/graph_subject.hpp"
#include "stress/simulation/run_hash.hpp"

namespace pto2::simulations {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

Options of_graphs(ExecutorKind strategy, bool clustered = false) {
  Options options;
  options.executor = strategy;
  options.clustered = clustered;
  return options;
}

/// With a memory order that is too weak some seeds are wrong. Each of them, made smaller, is wrong
/// in a way that its token repeats to the letter.
void expect_tokens_to_fail(Options options, uint64_t last_seed) {
  options.weaken = "core_mailbox.dispatch";
  const std::unique_ptr<Subject> subject = make_subject(options);
  uint64_t wrong = 0;
  for (uint64_t seed = 1; seed <= last_seed; ++seed) {
    if (!subject->run(seed).wrong()) continue;
    ++wrong;
    const Shrunk shrunk = subject->shrink(seed);
    std::string story;
    const SimulatedRun again = subject->run_shrunk(seed, shrunk.token, story);
    ASSERT_TRUE(again.wrong()) << seed << " " << shrunk.token;
    EXPECT_EQ(story, shrunk.story);
    EXPECT_THAT(again.problems.front(), HasSubstr("data race"));
    for (const std::string& problem : again.problems) {
      EXPECT_THAT(shrunk.story, HasSubstr("wrong: " + problem)) << shrunk.token;
    }
  }
  EXPECT_GE(wrong, 1U) << "too few to say anything";
  make_subject(of_graphs(options.executor));  // no order is weak for whoever comes next
}

TEST(GraphSubject, EveryTokenFailsAgain) {
  using enum ExecutorKind;
  for (const ExecutorKind strategy : {random, pct, bursts}) {
    expect_tokens_to_fail(of_graphs(strategy), 3);
  }
  expect_tokens_to_fail(of_graphs(random, true), 2);
}

/// What is made smaller has lost something.
TEST(GraphSubject, ASmallerRunHasFewerTasks) {
  Options options = of_graphs(ExecutorKind::random);
  options.weaken = "core_mailbox.dispatch";
  const std::unique_ptr<Subject> subject = make_subject(options);
  uint64_t seed = 1;
  while (!subject->run(seed).wrong()) ++seed;
  const std::string story = subject->shrink(seed).story;
  std::size_t tasks = 0;
  for (std::size_t at = story.find(", length "); at != std::string::npos; ++tasks) {
    at = story.find(", length ", at + 1);
  }
  EXPECT_GE(tasks, 1U) << story;
  EXPECT_LE(tasks, 3U) << story;
  make_subject(of_graphs(options.executor));
}

TEST(GraphSubject, MistakesEndEveryGraph) {
  for (const bool clustered : {false, true}) {
    Options options = of_graphs(ExecutorKind::seeded, clustered);
    options.mistakes = true;
    const std::unique_ptr<Subject> subject = make_subject(options);
    for (uint64_t seed = 1; seed <= 40; ++seed) {
      const SimulatedRun run = subject->run(seed);
      EXPECT_FALSE(run.wrong()) << run.problems.front();
      EXPECT_NE(run.outcome, "passed") << seed;
    }
  }
}

TEST(GraphSubject, RunsOfASeedAreTheSameAndOthersAreNot) {
  using enum ExecutorKind;
  for (const ExecutorKind strategy : {seeded, random, pct, bursts}) {
    const std::unique_ptr<Subject> subject = make_subject(of_graphs(strategy, true));
    uint64_t last = 0;
    for (uint64_t seed = 1; seed <= 20; ++seed) {
      const uint64_t hash = hash_of(subject->run(seed).result);
      EXPECT_EQ(hash_of(subject->run(seed).result), hash) << seed;
      EXPECT_NE(hash, last) << seed;
      last = hash;
    }
  }
}

/// Weak memory has no fan-out lock, so whoever hands it on is refused there.
TEST(Subjects, HaveTheFanOutThatIsAskedFor) {
  Options options = of_graphs(ExecutorKind::random);
  options.fan_out = FanOutKind::lock;
  EXPECT_THROW(static_cast<void>(make_subject(options)->run(1)), ConfigError);
  options.workload = "bgemm";
  options.case_name = workloads::find_workload("bgemm").cases().front().name;
  EXPECT_THROW(static_cast<void>(make_subject(options)->run(1)), ConfigError);
  options.executor = ExecutorKind::seeded;
  EXPECT_FALSE(make_subject(options)->run(1).wrong());
}

TEST(GraphSubject, AWrongTokenIsNoRun) {
  const std::unique_ptr<Subject> subject = make_subject({});
  std::string story;
  for (const char* token : {"", "4", "x-1", "4-x"}) {
    EXPECT_THROW(static_cast<void>(subject->run_shrunk(1, token, story)), std::invalid_argument)
        << token;
  }
}

/// Runs of random graphs whose records are not whole.
SimulatedRun run_with_damage(const Options& options) {
  GraphSubject subject(options, [](ExecutorKind executor, const DeviceConfig& config,
                                   const Launch& what, uint64_t seed) {
    RunResult result = stress::launch_on(executor, config, what, seed);
    result.record.damaged = {"ring 0"};
    return result;
  });
  return subject.run(1);
}

TEST(GraphSubject, RecordsAreJudgedUnlessNobodyWantsIt) {
  Options options;
  EXPECT_THAT(run_with_damage(options).problems, Contains(HasSubstr("VR-I37: ring 0 is damaged")));
  options.validate = false;
  EXPECT_THAT(run_with_damage(options).problems, IsEmpty());
}

TEST(GraphSubject, CountsTasksAndPoints) {
  for (const bool clustered : {false, true}) {
    RunResult last;
    GraphSubject subject(
        of_graphs(ExecutorKind::seeded, clustered),
        [&](ExecutorKind executor, const DeviceConfig& config, const Launch& what, uint64_t seed) {
          return last = stress::launch_on(executor, config, what, seed);
        });
    const SimulatedRun run = subject.run(1);
    EXPECT_GT(last.tasks, 0u);
    EXPECT_EQ(run.tasks, last.tasks);
    EXPECT_GT(last.points, 0u);
    EXPECT_EQ(run.points, last.points);
    EXPECT_EQ(hash_of(run.result), hash_of(last));
    EXPECT_EQ(run.census.runs(), clustered ? 1u : 0u);
  }
}

/// But that of an orchestration that throws, which is too rare for that.
TEST(GraphSubject, AThousandRunsShowEveryEndOfASoundChip) {
  const auto usual = [](bool clustered, bool mistakes) {
    Options options = of_graphs(ExecutorKind::seeded, clustered);
    options.mistakes = mistakes;
    return make_subject(options)->usual_outcomes();
  };
  EXPECT_THAT(
      usual(false, false),
      testing::ElementsAre("passed", "flow_control_deadlock", "heap_ring_deadlock",
                           "dependency_pool_overflow", "tensormap_overflow", "bad_submission"));
  EXPECT_THAT(
      usual(true, false),
      testing::ElementsAre("passed", "flow_control_deadlock", "heap_ring_deadlock",
                           "dependency_pool_overflow", "tensormap_overflow", "cluster_deadlock",
                           "bad_submission", "pipe_overflow", "pipe_underflow"));
  EXPECT_THAT(
      usual(false, true),
      testing::ElementsAre("flow_control_deadlock", "heap_ring_deadlock",
                           "dependency_pool_overflow", "tensormap_overflow", "bad_submission"));
  EXPECT_THAT(usual(true, true),
              testing::ElementsAre("flow_control_deadlock", "heap_ring_deadlock",
                                   "dependency_pool_overflow", "tensormap_overflow",
                                   "cluster_deadlock", "bad_submission"));
}

/// All runs are wrong, and one of the first program that is smaller asks for the end.
TEST(GraphSubject, NothingMoreIsTriedWhereASmallerRunIsToStop) {
  std::stop_source stop;
  Options options = of_graphs(ExecutorKind::seeded);
  options.stop = stop.get_token();
  int runs = 0;
  GraphSubject subject(options, [&](ExecutorKind executor, const DeviceConfig& config,
                                    const Launch& what, uint64_t seed) {
    if (++runs == 25) stop.request_stop();
    RunResult result = stress::launch_on(executor, config, what, seed);
    result.record.damaged = {"ring 0"};
    return result;
  });
  const Shrunk shrunk = subject.shrink(1);
  EXPECT_EQ(runs, 26) << "and that of the story";
  std::string story;
  EXPECT_TRUE(subject.run_shrunk(1, shrunk.token, story).wrong());
  EXPECT_EQ(story, shrunk.story);
}

/// All runs of the program itself are wrong, and those of smaller ones have no end.
TEST(GraphSubject, ALivelockIsNoSmallerRun) {
  constexpr int schedules = 20;
  int runs = 0;
  GraphSubject subject(
      of_graphs(ExecutorKind::seeded),
      [&](ExecutorKind executor, const DeviceConfig& config, const Launch& what, uint64_t seed) {
        if (++runs > schedules) {
          throw executors::SeededFailure("seed 1, point 9: no end after the limit of points: -");
        }
        RunResult result = stress::launch_on(executor, config, what, seed);
        result.record.damaged = {"ring 0"};
        return result;
      });
  const std::string token = subject.shrink(1).token;
  const std::size_t dash = token.find('-');
  EXPECT_EQ(token.find('.'), std::string::npos) << token << ": one was taken";
  EXPECT_EQ(runs, schedules + std::stoi(token.substr(dash + 1)) + 1) << "one of each";
  EXPECT_TRUE(subject.run(1).livelocked);
}

TEST(GraphSubject, ARunWithoutAResultIsWrong) {
  const auto livelock = [](ExecutorKind, const DeviceConfig&, const Launch&,
                           uint64_t) -> RunResult { throw executors::SeededFailure("no end"); };
  GraphSubject subject(of_graphs(ExecutorKind::seeded, true), livelock);
  const SimulatedRun run = subject.run(1);
  EXPECT_EQ(run.outcome, "wrong");
  EXPECT_THAT(run.problems, testing::ElementsAre("no end"));
  EXPECT_EQ(run.result.points, 0U);
  EXPECT_EQ(run.census.runs(), 0u);
}

}  // namespace
}  // namespace pto2::simulations
