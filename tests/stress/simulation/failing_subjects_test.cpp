/// Subjects whose chip fails: each kind of fault is met and ends as predicted, and an end that is
/// not predicted is told.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <stdexcept>
#include <stop_token>

#include "runtime/executors/seeded_team.hpp"
#include "stress/simulation/graph_subject.hpp"
#include "stress/simulation/workload_subject.hpp"

namespace pto2::simulations {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr uint64_t seeds = 120;

Options of_clustered(Fault fault) {
  Options options;
  options.clustered = true;
  options.faults.set(static_cast<std::size_t>(fault));
  return options;
}

Options of_bgemm(const char* faults) {
  Options options;
  options.workload = "bgemm";
  options.case_name = workloads::find_workload("bgemm").cases().front().name;
  options.stub_kernels = true;
  options.faults = parse_faults(faults);
  return options;
}

bool loses_core(Fault fault) {
  return fault == Fault::lost_before_ack || fault == Fault::lost_after_ack ||
         fault == Fault::lost_before_fin;
}

/// Some seeds come to the fault, some to nothing.
TEST(FailingGraphs, EachFaultIsMetAndPredicted) {
  for (std::size_t i = 1; i < fault_kinds; ++i) {
    const auto fault = static_cast<Fault>(i);
    const std::unique_ptr<Subject> subject = make_subject(of_clustered(fault));
    uint64_t reached = 0;
    for (uint64_t seed = 1; seed <= seeds; ++seed) {
      const SimulatedRun run = subject->run(seed);
      EXPECT_THAT(run.problems, IsEmpty()) << name_of(fault) << " " << seed;
      reached += run.fault_reached ? 1 : 0;
      EXPECT_EQ(run.outcome == "core_lost", loses_core(fault) && run.fault_reached)
          << name_of(fault) << " " << seed;
    }
    EXPECT_GE(reached, 5u) << name_of(fault);
    EXPECT_LE(reached, seeds - 5) << name_of(fault);
  }
}

/// The stories of some runs whose core is lost, and of some that end before. Nothing is tried to
/// make them smaller.
void expect_end_in_stories(Options options) {
  std::stop_source stop;
  stop.request_stop();
  options.stop = stop.get_token();
  const std::unique_ptr<Subject> subject = make_subject(options);
  uint64_t lost = 0;
  uint64_t sound = 0;
  for (uint64_t seed = 1; lost < 3 || sound < 3; ++seed) {
    ASSERT_LT(seed, seeds);
    const SimulatedRun run = subject->run(seed);
    if (run.fault == Fault::none) continue;
    ++(run.fault_reached ? lost : sound);
    const auto [token, story, wrong] = subject->shrink(seed);
    EXPECT_FALSE(wrong);
    EXPECT_EQ(story.find("\nexpected: core_lost\n") != std::string::npos, run.fault_reached)
        << story;
  }
}

TEST(FailingGraphs, TheirStoriesTellTheEndThatTheyWereJudgedBy) {
  expect_end_in_stories(of_clustered(Fault::lost_after_ack));
}

TEST(FailingWorkloads, TheirStoriesTellTheEndThatTheyWereJudgedBy) {
  expect_end_in_stories(of_bgemm("lost_after_ack"));
}

RunResult give_up(ExecutorKind, const DeviceConfig&, const Launch&, uint64_t) {
  throw executors::SeededFailure("it hangs");
}

/// Nobody knows whether a core was lost of what is given up.
template <class Failing>
void expect_no_end_of_a_loss(Options options) {
  std::stop_source stop;
  stop.request_stop();
  options.stop = stop.get_token();
  Failing subject(options, give_up);
  std::set<Fault> drawn;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    const Fault fault = subject.run(seed).fault;
    drawn.insert(fault);
    const auto [token, story, wrong] = subject.shrink(seed);
    EXPECT_TRUE(wrong);
    EXPECT_EQ(story.find("\nexpected: ") == std::string::npos, fault == Fault::lost_after_ack)
        << story;
  }
  EXPECT_EQ(drawn.size(), 3U);
}

TEST(FailingGraphs, StoriesOfWhatIsGivenUpExpectNoEndOfALoss) {
  Options options = of_clustered(Fault::lost_after_ack);
  options.faults.set(static_cast<std::size_t>(Fault::slow_core));
  expect_no_end_of_a_loss<GraphSubject>(options);
}

TEST(FailingWorkloads, StoriesOfWhatIsGivenUpExpectNoEndOfALoss) {
  expect_no_end_of_a_loss<WorkloadSubject>(of_bgemm("lost_after_ack,slow_core"));
}

/// Closed by its scope, a group holds its cluster for longer.
TEST(FailingGraphs, AKeptGroupCanLackToOthers) {
  Options options = of_clustered(Fault::kept_group);
  const std::unique_ptr<Subject> subject = make_subject(options);
  options.faults.reset();
  const std::unique_ptr<Subject> sound = make_subject(options);
  uint64_t changed = 0;
  for (uint64_t seed = 1; seed <= seeds; ++seed) {
    const SimulatedRun run = subject->run(seed);
    if (!run.fault_reached) continue;
    const std::string before = sound->run(seed).outcome;
    changed += before == "passed" && run.outcome == "cluster_deadlock" ? 1 : 0;
  }
  EXPECT_GE(changed, 1u);
}

/// What ends before is as it would be without the fault.
TEST(FailingGraphs, AGroupIsKeptByWhoComesToIt) {
  Options options = of_clustered(Fault::kept_group);
  const std::unique_ptr<Subject> subject = make_subject(options);
  options.faults.reset();
  const std::unique_ptr<Subject> sound = make_subject(options);
  uint64_t ended_before = 0;
  for (uint64_t seed = 1; seed <= seeds; ++seed) {
    const SimulatedRun run = subject->run(seed);
    if (run.fault != Fault::kept_group) continue;
    if (run.fault_reached) continue;
    ++ended_before;
    EXPECT_NE(run.outcome, "passed") << seed;
    const SimulatedRun other = sound->run(seed);
    EXPECT_EQ(run.outcome, other.outcome) << seed;
    EXPECT_EQ(run.tasks, other.tasks) << seed;
  }
  EXPECT_GE(ended_before, 1U);
}

TEST(FailingGraphs, OnlyClusteredOnesHaveGroupsToKeep) {
  Options options = of_clustered(Fault::kept_group);
  options.clustered = false;
  EXPECT_THROW(static_cast<void>(make_subject(options)), std::runtime_error);
  options.faults = all_faults();
  EXPECT_NE(make_subject(options), nullptr);
}

/// A mistake may be none while a group is open.
TEST(FailingGraphs, OnlyThoseWithoutMistakesKeepGroups) {
  Options options = of_clustered(Fault::kept_group);
  options.mistakes = true;
  EXPECT_THROW(static_cast<void>(make_subject(options)), std::runtime_error);
  options.faults = all_faults();
  const std::unique_ptr<Subject> subject = make_subject(options);
  for (uint64_t seed = 1; seed <= seeds; ++seed) {
    EXPECT_NE(subject->run(seed).fault, Fault::kept_group) << seed;
  }
}

/// Those that run out of something before they come to their mistake.
TEST(FailingGraphs, SomeWithMistakesLoseCores) {
  Options options = of_clustered(Fault::lost_before_ack);
  options.mistakes = true;
  const std::unique_ptr<Subject> subject = make_subject(options);
  uint64_t drawn = 0;
  for (uint64_t seed = 1; seed <= seeds; ++seed) {
    const SimulatedRun run = subject->run(seed);
    EXPECT_THAT(run.problems, IsEmpty()) << seed;
    EXPECT_FALSE(run.outcome == "bad_submission" && run.fault == Fault::lost_before_ack) << seed;
    drawn += run.fault == Fault::lost_before_ack ? 1 : 0;
  }
  EXPECT_GE(drawn, 5u);
}

TEST(FailingWorkload, LostCoresArePredicted) {
  WorkloadSubject subject(of_bgemm("lost_before_ack,lost_after_ack,lost_before_fin"));
  uint64_t lost = 0;
  for (uint64_t seed = 1; seed <= seeds; ++seed) {
    const SimulatedRun run = subject.run(seed);
    EXPECT_THAT(run.problems, IsEmpty()) << seed;
    EXPECT_EQ(run.outcome == "core_lost", run.fault_reached) << seed;
    lost += run.fault_reached ? 1 : 0;
  }
  EXPECT_GE(lost, 10u);
}

using Edit = std::function<void(RunResult& result)>;

/// Of the first run that comes to a lost core, as its result is edited.
std::vector<std::string> problems_of_loss(const Edit& edit) {
  WorkloadSubject subject(
      of_bgemm("lost_before_fin"),
      [&](ExecutorKind executor, const DeviceConfig& config, const Launch& what, uint64_t seed) {
        RunResult result = stress::launch_on(executor, config, what, seed);
        if (result.fault_reached) edit(result);
        return result;
      });
  for (uint64_t seed = 1; seed <= seeds; ++seed) {
    const SimulatedRun run = subject.run(seed);
    if (run.fault_reached) return run.problems;
  }
  throw std::runtime_error("no run comes to the fault");
}

TEST(FailingWorkload, AnotherEndIsTold) {
  EXPECT_THAT(problems_of_loss([](RunResult&) {}), IsEmpty());
  EXPECT_THAT(problems_of_loss([](RunResult& result) { result.error = {}; }),
              Contains(HasSubstr("expected core_lost, got ok")));
  EXPECT_THAT(problems_of_loss([](RunResult& result) { result.error.message = "core aiv77"; }),
              Contains(HasSubstr("got: core aiv77")));
}

/// As if the runtime called a core lost that is not.
TEST(FailingWorkload, ALossWithoutAFaultIsTold) {
  WorkloadSubject subject(
      of_bgemm("slow_core"),
      [](ExecutorKind executor, const DeviceConfig& config, const Launch& what, uint64_t seed) {
        RunResult result = stress::launch_on(executor, config, what, seed);
        result.error = {ErrorCode::core_lost, "core aic0 does not answer", ""};
        return result;
      });
  EXPECT_THAT(subject.run(1).problems, Contains(HasSubstr("got core_lost")));
}

}  // namespace
}  // namespace pto2::simulations
