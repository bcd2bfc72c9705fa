/// A workload as a subject: what the oracle, the edges, the rules, the stubs and the reference have
/// to say of a run reaches whoever asks.
#include "stress/simulation/workload_subject.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

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
  for (const char* token : {"", "256", "256-1", "256-0-1", "256-1-0", "256-1-2", "256-1-1-1"}) {
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

}  // namespace
}  // namespace pto2::simulations
