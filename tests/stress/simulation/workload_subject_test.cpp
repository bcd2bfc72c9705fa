/// A workload as a subject: what the oracle, the edges, the rules, the stubs and the reference have
/// to say of a run reaches whoever asks.
#include "stress/simulation/workload_subject.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <stdexcept>
#include <utility>

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

TEST(WorkloadSubject, EdgesThatNobodyNeedsAreTold) {
  const Edit add_edge = [](RunResult& result) {
    const TaskId first = result.record.tasks.front().task;
    result.record.tasks.back().producers.push_back({first, Claim::early});
  };
  EXPECT_THAT(problems_with(add_edge),
              Contains(HasSubstr("has the edge to task 0, which it does not need")));
}

/// Pipes order tasks, too, and of buffers that may overlap the recorder does not know the edges.
TEST(WorkloadSubject, EdgesAreJudgedAsFarAsTheyAreKnown) {
  for (const auto& [workload, name] :
       {std::pair("clusters", "pipe"), std::pair("paged_attention_seq", "Case1")}) {
    Options options;
    options.workload = workload;
    options.case_name = name;
    options.stub_kernels = true;
    WorkloadSubject subject(options);
    for (uint64_t seed = 1; seed <= 3; ++seed) {
      EXPECT_THAT(subject.run(seed).problems, IsEmpty()) << workload << " " << seed;
    }
  }
}

TEST(WorkloadSubject, TasksThatAreMissingAreTold) {
  EXPECT_THAT(problems_with([](RunResult& result) { --result.tasks; }),
              Contains("255 tasks, expected 256"));
}

/// As on OS threads, where times are ns: whatever is ready first waits for six seconds.
TEST(WorkloadSubject, LongWaitsForIdleCoresAreTold) {
  const Edit be_late = [](RunResult& result) {
    std::vector<Event>& events = result.record.events;
    const uint64_t first =
        std::ranges::find(events, EventKind::dispatch, [](const Event& e) { return e.kind; })->t;
    for (Event& event : events) event.t += event.t >= first ? 6'000'000'000 : 0;
    result.record.points = false;
    result.record.counts->host_threads = 64;
  };
  EXPECT_THAT(problems_with(be_late), Contains(HasSubstr("idle")));
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
  for (const char* token : {"", "256", "256-1", "256-1-1-1", "256-1-1-"}) {
    EXPECT_THROW(static_cast<void>(subject.run_shrunk(1, token, story)), std::invalid_argument)
        << token;
  }
  for (const char* token : {"256-0-1", "256-1-0", "256-0-0", "256-1-2", "256-9-1"}) {
    try {
      static_cast<void>(subject.run_shrunk(1, token, story));
      ADD_FAILURE() << token;
    } catch (const std::invalid_argument& error) {
      EXPECT_THAT(error.what(), HasSubstr(" schedulers, of a device of "));
    }
  }
  EXPECT_THAT(subject.run_shrunk(passing_seed(), "256-1-1", story).problems, IsEmpty());
}

TEST(WorkloadSubject, ATokenHasNoMoreClustersThanItsSeedHasDrawn) {
  DeviceConfig last;
  WorkloadSubject subject(options_of(true), [&](ExecutorKind executor, const DeviceConfig& config,
                                                const Launch& what, uint64_t seed) {
    last = config;
    return stress::launch_on(executor, config, what, seed);
  });
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    static_cast<void>(subject.run(seed));
    const uint32_t drawn = last.chip.clusters;
    std::string story;
    const auto run_on = [&](uint32_t clusters) {
      static_cast<void>(subject.run_shrunk(seed, fmt::format("1-{}-1", clusters), story));
    };
    EXPECT_NO_THROW(run_on(drawn));
    EXPECT_THROW(run_on(drawn + 1), std::invalid_argument) << drawn;
  }
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

/// Runs are wrong that have enough of something.
struct Enough {
  uint64_t tasks = 0;
  uint32_t clusters = 0;
  uint32_t schedulers = 0;
};

/// The token of such a run on a device of 4 clusters and more, and 3 schedulers and more, or of
/// the size that is known to be wrong if that is empty.
std::string token_where_wrong(const Enough& enough) {
  DeviceConfig last;
  WorkloadSubject subject(options_of(true), [&](ExecutorKind executor, const DeviceConfig& config,
                                                const Launch& what, uint64_t seed) {
    last = config;
    RunResult result = stress::launch_on(executor, config, what, seed);
    if (result.tasks >= enough.tasks && config.chip.clusters >= enough.clusters &&
        config.chip.schedulers >= enough.schedulers) {
      result.record.damaged = {"a ring of " + std::to_string(result.tasks)};
    }
    return result;
  });
  for (uint64_t seed = 1; seed < 200; ++seed) {
    const SimulatedRun run = subject.run(seed);
    if (!run.wrong() || run.tasks != 256) continue;
    if (last.chip.clusters < 4 || last.chip.schedulers < 3) continue;
    const Shrunk shrunk = subject.shrink(seed);
    const std::string tasks = shrunk.token.substr(0, shrunk.token.find('-'));
    EXPECT_THAT(shrunk.story, HasSubstr("a ring of " + tasks + " is damaged"));
    return shrunk.token;
  }
  throw std::runtime_error("no device of 199 is large enough");
}

TEST(WorkloadSubject, ASmallerRunIsTheSmallest) {
  EXPECT_EQ(token_where_wrong({}), "1-1-1");
  EXPECT_EQ(token_where_wrong({.tasks = 2}), "2-1-1");
  EXPECT_EQ(token_where_wrong({.tasks = 37}), "37-1-1");
  EXPECT_EQ(token_where_wrong({.tasks = 255, .clusters = 2}), "255-2-1");
  EXPECT_EQ(token_where_wrong({.tasks = 256, .schedulers = 2}), "256-2-2");
  EXPECT_EQ(token_where_wrong({.clusters = 3, .schedulers = 2}), "1-3-2");
}

/// All runs are wrong, and the third asks for the end.
TEST(WorkloadSubject, NothingMoreIsTriedWhereASmallerRunIsToStop) {
  std::stop_source stop;
  Options options = options_of(true);
  options.stop = stop.get_token();
  int runs = 0;
  WorkloadSubject subject(options, [&](ExecutorKind executor, const DeviceConfig& config,
                                       const Launch& what, uint64_t seed) {
    if (++runs == 3) stop.request_stop();
    RunResult result = stress::launch_on(executor, config, what, seed);
    result.record.damaged = {"ring 0"};
    return result;
  });
  const Shrunk shrunk = subject.shrink(passing_seed());
  EXPECT_EQ(runs, 4) << "and that of the story";
  EXPECT_THAT(shrunk.token, testing::StartsWith("32-")) << "256 / 2 / 2 / 2";
}

/// Of the run that the token stands for, and not of the one that was drawn.
TEST(WorkloadSubject, AStoryTellsWhatHasRun) {
  Options options = options_of(true);
  options.faults = parse_faults("slow_core,slow_scheduler");
  DeviceConfig last;
  executors::ChipFault fault;
  WorkloadSubject subject(options, [&](ExecutorKind executor, const DeviceConfig& config,
                                       const Launch& what, uint64_t seed) {
    last = config;
    fault = what.fault;
    return stress::launch_on(executor, config, what, seed);
  });
  uint64_t deadlocks = 0;
  uint64_t failing = 0;
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    deadlocks += subject.run(seed).outcome == "passed" ? 0 : 1;
    std::string story;
    const SimulatedRun run = subject.run_shrunk(seed, "1-1-1", story);
    EXPECT_EQ(last.chip.clusters, 1U);
    EXPECT_EQ(last.chip.schedulers, 1U);
    EXPECT_THAT(story, testing::StartsWith(
                           "bgemm Case1, 1 of 256 tasks\ndevice: " + stress::text_of(last) + "\n"));
    EXPECT_THAT(story, HasSubstr("\nexpected: ok\n"));
    if (run.fault == Fault::none) continue;
    ++failing;
    EXPECT_LE(fault.task, 2U) << "it has one";
    EXPECT_THAT(story, HasSubstr(text_of(DrawnFault{.fault = run.fault, .chip = fault})));
  }
  EXPECT_GE(deadlocks, 1U) << "that all tasks end in";
  EXPECT_GE(failing, 10U);
  std::string story;
  static_cast<void>(subject.run_shrunk(passing_seed(), "256-1-1", story));
  EXPECT_THAT(story, testing::StartsWith("bgemm Case1, 256 of 256 tasks\n"));
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

/// The fewest tasks of a seed that end in a deadlock: with one less there is none.
TEST(WorkloadSubject, TheTaskThatLacksSomethingIsPredicted) {
  WorkloadSubject subject(options_of(true));
  uint64_t found = 0;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    if (subject.run(seed).outcome == "passed") continue;
    uint64_t passing = 0;
    uint64_t failing = 256;
    while (passing + 1 < failing) {
      const uint64_t tasks = (passing + failing) / 2;
      std::string story;
      const SimulatedRun run = subject.run_shrunk(seed, std::to_string(tasks) + "-1-1", story);
      EXPECT_THAT(run.problems, IsEmpty()) << tasks << " of " << seed;
      (run.outcome == "passed" ? passing : failing) = tasks;
    }
    ++found;
  }
  EXPECT_GE(found, 2U);
}

/// On one ring each writer takes the place of the one before, and on several there is none: this is
/// another graph, which needs more, and has other edges.
TEST(WorkloadSubject, TheGraphIsThatOfTheRings) {
  ASSERT_EQ(setenv("PTO2_WORKLOADS", REWRITTEN, 1), 0);
  std::set<uint32_t> rings;
  WorkloadSubject subject(options_of(true), [&](ExecutorKind executor, const DeviceConfig& config,
                                                const Launch& what, uint64_t seed) {
    rings.insert(config.rings);
    return stress::launch_on(executor, config, what, seed);
  });
  unsetenv("PTO2_WORKLOADS");
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    EXPECT_THAT(subject.run(seed).problems, IsEmpty()) << seed;
  }
  EXPECT_THAT(rings, testing::ElementsAre(1, 4));
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
  Options options = options_of(true);
  options.faults = parse_faults("slow_core");
  WorkloadSubject subject(options, [&](ExecutorKind executor, const DeviceConfig& config,
                                       const Launch& what, uint64_t seed) {
    last = stress::launch_on(executor, config, what, seed);
    last.fault_reached = what.fault.kind != executors::ChipFaultKind::none;
    return last;
  });
  uint64_t failing = 0;
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    const SimulatedRun run = subject.run(seed);
    EXPECT_EQ(run.tasks, last.tasks);
    EXPECT_EQ(run.points, last.points);
    EXPECT_EQ(hash_of(run.result), hash_of(last));
    EXPECT_EQ(run.fault, last.fault_reached ? Fault::slow_core : Fault::none);
    EXPECT_EQ(run.fault_reached, last.fault_reached);
    failing += last.fault_reached ? 1 : 0;
  }
  EXPECT_GE(failing, 1U);
}

TEST(WorkloadSubject, ALivelockIsNoSmallerRun) {
  const auto livelock = [](ExecutorKind, const DeviceConfig&, const Launch&,
                           uint64_t) -> RunResult {
    throw executors::SeededFailure("seed 1, point 9: no end after the limit of points: -");
  };
  WorkloadSubject subject(options_of(true), livelock);
  EXPECT_TRUE(subject.run(1).livelocked);
  EXPECT_THAT(subject.shrink(1).token, testing::StartsWith("256-"));
}

TEST(WorkloadSubject, ARunWithoutAResultIsWrong) {
  const auto livelock = [](ExecutorKind, const DeviceConfig&, const Launch&,
                           uint64_t) -> RunResult { throw executors::SeededFailure("no end"); };
  WorkloadSubject subject(options_of(true), livelock);
  const SimulatedRun run = subject.run(1);
  EXPECT_EQ(run.outcome, "wrong");
  EXPECT_THAT(run.problems, testing::ElementsAre("no end"));
  EXPECT_EQ(run.result.points, 0U);
}

std::vector<std::string> usual_outcomes(const std::string& workload, const std::string& name) {
  Options options;
  options.workload = workload;
  options.case_name = name;
  return WorkloadSubject(options).usual_outcomes();
}

TEST(WorkloadSubject, AThousandRunsShowTheEndOfTheCase) {
  std::set<std::string> usual;
  for (const workloads::CaseInfo& info : workloads::find_workload("deadlock").cases()) {
    if (info.fault.empty()) continue;
    EXPECT_THAT(usual_outcomes("deadlock", info.name), testing::ElementsAre(info.fault));
    usual.insert(info.fault);
  }
  EXPECT_GE(usual.size(), 3U);
}

/// Of a case whose needs follow from its calls; and of one that always has what its case says.
TEST(WorkloadSubject, AThousandRunsShowWhatIsPredictedOfDrawnSizes) {
  EXPECT_THAT(
      usual_outcomes("bgemm", "Case1"),
      testing::UnorderedElementsAre("passed", "flow_control_deadlock", "heap_ring_deadlock"));
  EXPECT_THAT(usual_outcomes("paged_attention", "Case3"),
              testing::UnorderedElementsAre("passed", "flow_control_deadlock", "heap_ring_deadlock",
                                            "tensormap_overflow"));
  EXPECT_THAT(usual_outcomes("clusters", "tensor"), testing::ElementsAre("passed"));
}

}  // namespace
}  // namespace pto2::simulations
