/// A workload as a subject: what the oracle, the edges, the rules, the stubs and the reference have
/// to say of a run reaches whoever asks.
#include "stress/simulation/workload_subject.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <stdexcept>

#include "runtime/executors/seeded_team.hpp"
#include "stress/simulation/run_hash.hpp"

namespace pto2::simulations {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

Options options_of(bool stub_kernels) {
  Options options;
  options.workload = "bgemm";
  options.case_name = workloads::find_workload("bgemm").cases().front().name;
  options.stub_kernels = stub_kernels;
  return options;
}

/// Of the first seed that has a run to its end.
uint64_t passing_seed() {
  WorkloadSubject subject(options_of(true));
  for (uint64_t seed = 1; seed < 100; ++seed) {
    if (subject.run(seed).outcome == "passed") return seed;
  }
  throw std::runtime_error("no run of 99 comes to its end");
}

using Edit = std::function<void(RunResult& result)>;

/// Of the run of that seed, whose result is edited.
std::vector<std::string> problems_with(const Edit& edit) {
  WorkloadSubject subject(options_of(true), [&](ExecutorKind executor, const DeviceConfig& config,
                                                const Launch& what, uint64_t seed) {
    RunResult result = stress::launch_on(executor, config, what, seed);
    edit(result);
    return result;
  });
  return subject.run(passing_seed()).problems;
}

/// Of that run with kernels that do nothing.
std::vector<std::string> problems_without_kernels(bool stub_kernels) {
  WorkloadSubject subject(
      options_of(stub_kernels),
      [](ExecutorKind executor, const DeviceConfig& config, const Launch& what, uint64_t seed) {
        std::vector<KernelEntry> idle(what.kernels.size(), [](int64_t*) {});
        return stress::launch_on(executor, config, {idle, what.entry, what.log}, seed);
      });
  return subject.run(passing_seed()).problems;
}

TEST(WorkloadSubject, ARightRunHasNoProblems) {
  EXPECT_THAT(problems_with([](RunResult&) {}), IsEmpty());
}

TEST(WorkloadSubject, AWrongEndIsTold) {
  EXPECT_THAT(problems_with([](RunResult& result) { result.error.code = ErrorCode::not_drained; }),
              Contains(HasSubstr("not_drained")));
}

TEST(WorkloadSubject, LostEdgesAreTold) {
  const Edit lose_edges = [](RunResult& result) {
    for (TaskRecord& task : result.record.tasks) task.producers.clear();
  };
  EXPECT_THAT(problems_with(lose_edges), Contains(HasSubstr("lacks its edge to task")));
}

TEST(WorkloadSubject, BrokenRulesAreTold) {
  const Edit forget = [](RunResult& result) {
    std::erase_if(result.record.events,
                  [](const Event& event) { return event.kind == EventKind::ack; });
  };
  EXPECT_THAT(problems_with(forget), Contains(HasSubstr("VR-I")));
}

TEST(WorkloadSubject, WhatStubsMissIsTold) {
  EXPECT_THAT(problems_without_kernels(true), Contains(HasSubstr("task 1")));
}

TEST(WorkloadSubject, WrongValuesAreTold) {
  EXPECT_THAT(problems_without_kernels(false), Contains(HasSubstr("C: element 0 is")));
}

/// Kernels that do nothing leave wrong values behind when all tasks have run.
TEST(WorkloadSubject, ATokenOfAllTasksFindsTheWrongValuesAgain) {
  WorkloadSubject subject(options_of(false), [](ExecutorKind executor, const DeviceConfig& config,
                                                const Launch& what, uint64_t seed) {
    std::vector<KernelEntry> idle(what.kernels.size(), [](int64_t*) {});
    return stress::launch_on(executor, config, {idle, what.entry, what.log}, seed);
  });
  const uint64_t seed = passing_seed();
  const Shrunk shrunk = subject.shrink(seed);
  EXPECT_THAT(shrunk.token, testing::StartsWith("256-")) << "none of its tasks can go";
  std::string story;
  EXPECT_THAT(subject.run_shrunk(seed, shrunk.token, story).problems,
              Contains(HasSubstr("C: element 0 is")));
  EXPECT_EQ(story, shrunk.story);
}

TEST(WorkloadSubject, ATokenThatIsNoneIsRefused) {
  WorkloadSubject subject(options_of(false), stress::launch_on);
  std::string story;
  for (const char* token :
       {"", "256", "256-1", "256-0-1", "256-1-0", "256-1-2", "256-1-1-1", "256-1-1-", "256-9-1"}) {
    EXPECT_THROW(static_cast<void>(subject.run_shrunk(1, token, story)), std::invalid_argument)
        << token;
  }
  EXPECT_THAT(subject.run_shrunk(passing_seed(), "256-1-1", story).problems, IsEmpty());
}

/// Whatever is wrong with a case need not be wrong on a chip that it is not meant for.
TEST(WorkloadSubject, ASmallerRunHasTheClustersThatItsCaseAsksFor) {
  const auto damage = [](ExecutorKind executor, const DeviceConfig& config, const Launch& what,
                         uint64_t seed) {
    RunResult result = stress::launch_on(executor, config, what, seed);
    result.record.damaged = {"ring 0"};
    return result;
  };
  uint64_t found = 0;
  for (const workloads::CaseInfo& info : workloads::find_workload("deadlock").cases()) {
    if (info.blocks < 2) continue;
    ++found;
    Options options;
    options.workload = "deadlock";
    options.case_name = info.name;
    WorkloadSubject subject(options, damage);
    EXPECT_THAT(subject.shrink(1).token,
                testing::EndsWith("-" + std::to_string(info.blocks) + "-1"))
        << info.name;
  }
  EXPECT_GE(found, 1U);
}

/// Of a case that ends in a deadlock, too: where there is no deadlock nothing is damaged.
TEST(WorkloadSubject, ASmallerRunIsWrongForTheSameReason) {
  Options options;
  options.workload = "deadlock";
  options.case_name = "heap";
  WorkloadSubject subject(options, [](ExecutorKind executor, const DeviceConfig& config,
                                      const Launch& what, uint64_t seed) {
    RunResult result = stress::launch_on(executor, config, what, seed);
    if (result.error.code != ErrorCode::ok) result.record.damaged = {"ring 0"};
    return result;
  });
  ASSERT_THAT(subject.run(1).problems, testing::ElementsAre(HasSubstr("ring 0 is damaged")));
  EXPECT_THAT(subject.shrink(1).story, HasSubstr("ring 0 is damaged"));
}

/// Some of them run out of something, as all tasks do, and some do not any more.
TEST(WorkloadSubject, RunsOfFewerTasksArePredicted) {
  WorkloadSubject subject(options_of(true));
  std::set<std::string> outcomes;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    if (subject.run(seed).outcome == "passed") continue;
    for (const char* token : {"1-1-1", "30-1-1", "150-1-1"}) {
      std::string story;
      const SimulatedRun run = subject.run_shrunk(seed, token, story);
      EXPECT_THAT(run.problems, IsEmpty()) << token << " of " << seed;
      outcomes.insert(run.outcome);
    }
  }
  EXPECT_GE(outcomes.size(), 2U);
}

TEST(WorkloadSubject, RecordsAreNotJudgedIfNobodyWantsIt) {
  Options options = options_of(true);
  options.validate = false;
  WorkloadSubject subject(options, [](ExecutorKind executor, const DeviceConfig& config,
                                      const Launch& what, uint64_t seed) {
    RunResult result = stress::launch_on(executor, config, what, seed);
    result.record.damaged = {"ring 0"};
    return result;
  });
  EXPECT_THAT(subject.run(passing_seed()).problems, IsEmpty());
}

/// Else those of the run before would stand for them.
TEST(WorkloadSubject, EachRunComputesItsOwnValues) {
  bool idles = false;
  WorkloadSubject subject(options_of(false), [&](ExecutorKind executor, const DeviceConfig& config,
                                                 const Launch& what, uint64_t seed) {
    std::vector<KernelEntry> kernels(what.kernels.begin(), what.kernels.end());
    if (idles) kernels.assign(kernels.size(), [](int64_t*) {});
    return stress::launch_on(executor, config, {kernels, what.entry, what.log}, seed);
  });
  const uint64_t seed = passing_seed();
  EXPECT_THAT(subject.run(seed).problems, IsEmpty());
  idles = true;
  EXPECT_THAT(subject.run(seed).problems, Contains(HasSubstr("C: element 0 is")));
}

TEST(WorkloadSubject, HandsOnWhatIsKnownOfARun) {
  RunResult last;
  std::string trace;
  Options options = options_of(true);
  options.faults = parse_faults("slow_core");
  options.trace = [&](std::string_view text) { trace += text; };
  WorkloadSubject subject(options, [&](ExecutorKind executor, const DeviceConfig& config,
                                       const Launch& what, uint64_t seed) {
    last = stress::launch_on(executor, config, what, seed);
    last.fault_reached = what.fault.kind != executors::ChipFaultKind::none;
    return last;
  });
  uint64_t failing = 0;
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    trace.clear();
    const SimulatedRun run = subject.run(seed);
    EXPECT_EQ(run.tasks, last.tasks);
    EXPECT_EQ(run.points, last.points);
    EXPECT_EQ(run.hash, hash_of(last));
    EXPECT_EQ(run.fault, last.fault_reached ? Fault::slow_core : Fault::none);
    EXPECT_EQ(run.fault_reached, last.fault_reached);
    EXPECT_THAT(trace, HasSubstr("\n"));
    failing += last.fault_reached ? 1 : 0;
  }
  EXPECT_GE(failing, 1U);
}

TEST(WorkloadSubject, ARunWithoutAResultIsWrong) {
  const auto livelock = [](ExecutorKind, const DeviceConfig&, const Launch&,
                           uint64_t) -> RunResult { throw executors::SeededFailure("no end"); };
  WorkloadSubject subject(options_of(true), livelock);
  const SimulatedRun run = subject.run(1);
  EXPECT_EQ(run.outcome, "wrong");
  EXPECT_THAT(run.problems, testing::ElementsAre("no end"));
  EXPECT_EQ(run.hash, 0U);
}

TEST(WorkloadSubject, AThousandRunsShowTheEndOfTheCase) {
  std::set<std::string> usual;
  for (const workloads::CaseInfo& info : workloads::find_workload("deadlock").cases()) {
    Options options;
    options.workload = "deadlock";
    options.case_name = info.name;
    const std::string end = info.fault.empty() ? "passed" : info.fault;
    EXPECT_THAT(WorkloadSubject(options).usual_outcomes(), testing::ElementsAre(end)) << info.name;
    usual.insert(end);
  }
  EXPECT_GE(usual.size(), 3U);
}

}  // namespace
}  // namespace pto2::simulations
