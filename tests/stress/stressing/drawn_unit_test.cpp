#include "stress/stressing/drawn_unit.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <new>
#include <stop_token>
#include <thread>

#include "runtime/workloads/workload.hpp"
#include "stress/hang_guard.hpp"

namespace pto2::stress {
namespace {

using testing::Contains;

std::vector<std::string> names_of(const Units& units) {
  std::vector<std::string> names;
  for (const auto& unit : units) names.push_back(unit->name());
  return names;
}

Unit& named(const Units& units, const std::string& name) {
  for (const auto& unit : units) {
    if (unit->name() == name) return *unit;
  }
  throw std::invalid_argument(name);
}

TEST(DrawnUnits, AreGraphsAndWorkloadsOnEachExecutorWithThreads) {
  const std::vector<std::string> names = names_of(drawn_units({}));
  for (const char* executor : {"packed", "threads"}) {
    for (const char* what : {"graphs/plain/", "graphs/clustered/", "graphs/plain-mistaken/",
                             "graphs/clustered-mistaken/", "workloads/vector_example:"}) {
      EXPECT_THAT(names,
                  Contains(testing::AllOf(testing::StartsWith(what), testing::EndsWith(executor))));
    }
  }
  EXPECT_THAT(names, testing::Not(Contains(testing::EndsWith("seeded"))));
}

TEST(DrawnUnits, ACaseIsThatOfTheWorkloadsThatHaveIt) {
  const std::vector<std::string> names = names_of(drawn_units({.case_name = "Case3"}));
  EXPECT_THAT(names, Contains("workloads/paged_attention:Case3/threads"));
  EXPECT_THAT(names, testing::Not(Contains(testing::HasSubstr("vector_example"))));
  EXPECT_THAT(names, Contains("graphs/plain/packed"));
}

const simulations::Options& options_of(const Units& units, const std::string& name) {
  return dynamic_cast<const DrawnUnit&>(named(units, name)).options();
}

TEST(DrawnUnits, RunWhatTheirNamesSay) {
  const Units units = drawn_units({});
  for (const ExecutorKind executor : {ExecutorKind::packed, ExecutorKind::threads}) {
    const std::string on = fmt::format("/{}", row_of(executor).name);
    for (const bool clustered : {false, true}) {
      for (const bool mistakes : {false, true}) {
        const simulations::Options& graphs =
            options_of(units, std::string("graphs/") + (clustered ? "clustered" : "plain") +
                                  (mistakes ? "-mistaken" : "") + on);
        EXPECT_EQ(graphs.clustered, clustered);
        EXPECT_EQ(graphs.mistakes, mistakes);
        EXPECT_EQ(graphs.executor, executor);
        EXPECT_EQ(graphs.workload, "");
      }
    }
    for (const workloads::Workload* workload : workloads::all_workloads()) {
      const std::string first = workload->cases().front().name;
      const simulations::Options& of_workload =
          options_of(units, fmt::format("workloads/{}:{}{}", workload->name(), first, on));
      EXPECT_EQ(of_workload.workload, workload->name());
      EXPECT_EQ(of_workload.case_name, first);
      EXPECT_EQ(of_workload.executor, executor);
    }
  }
  EXPECT_EQ(
      options_of(drawn_units({.case_name = "Case3"}), "workloads/paged_attention:Case3/packed")
          .case_name,
      "Case3");
}

/// Those of workloads are refused where there are only graphs.
TEST(DrawnUnits, AreRepeatedWithTheOptionsThatTheyNeed) {
  const auto of = [](const Drawn& drawn, const char* name) {
    return named(drawn_units(drawn), name).options_of_repeat();
  };
  const char* const graphs = "graphs/plain/packed";
  const char* const workload = "workloads/paged_attention:Case3/packed";
  EXPECT_EQ(of({}, graphs), "");
  const Drawn stubs{.case_name = "Case3", .stub_kernels = true};
  EXPECT_EQ(of(stubs, graphs), "");
  EXPECT_EQ(of(stubs, workload), " --stub-kernels");
  EXPECT_EQ(of({.fan_out = FanOutKind::lock}, graphs), " --fan-out lock");
  EXPECT_EQ(of({.fan_out = FanOutKind::lock, .case_name = "Case3"}, workload), " --fan-out lock");
}

TEST(DrawnUnits, RunSeedsUntilTheBudgetIsUsedUp) {
  const Units units = drawn_units({});
  for (const char* name : {"graphs/plain/packed", "graphs/clustered-mistaken/threads"}) {
    UnitCounts counts;
    const UnitReport report = named(units, name).run({.runs = 7}, {100, 999}, counts);
    EXPECT_EQ(counts.runs.load(), 7U) << name;
    EXPECT_EQ(counts.seed.load(), 106U) << name;
    EXPECT_GT(counts.tasks.load(), 7U) << name;
    EXPECT_TRUE(report.wrong.empty()) << name;
  }
  UnitCounts counts;
  named(units, "graphs/plain/threads").run({.tasks = 60}, {1, 999}, counts);
  EXPECT_GE(counts.tasks.load(), 60U);
  EXPECT_LT(counts.runs.load(), 60U);
  UnitCounts of_one;
  named(units, "graphs/plain/threads").run({}, {5, 5}, of_one);
  EXPECT_EQ(of_one.runs.load(), 1U);
  UnitCounts timed;
  named(units, "graphs/plain/threads").run({.seconds = 0.001}, {1, 1500}, timed);
  EXPECT_LT(timed.runs.load(), 1000U);
}

TEST(DrawnUnits, OnTheFanOutLock) {
  const Units units = drawn_units({.fan_out = FanOutKind::lock});
  UnitCounts counts;
  EXPECT_TRUE(
      named(units, "graphs/clustered/packed").run({.runs = 3}, {1, 9}, counts).wrong.empty());
}

/// The first of its simulations that goes wrong.
Simulated wrong_simulation(Unit& unit, uint64_t seed) {
  for (const std::string& token : unit.simulations(seed)) {
    if (Simulated simulated = unit.simulate(token); !simulated.token.empty()) return simulated;
  }
  return {};
}

TEST(DrawnUnits, ARightRunIsWrongInNoSimulation) {
  const Units units = drawn_units({});
  Unit& unit = named(units, "graphs/plain/threads");
  EXPECT_GT(unit.simulations(3).size(), 1U);
  EXPECT_EQ(wrong_simulation(unit, 3).token, "");
}

/// Wrong with even seeds, and in one simulation with those that 3 divides, too.
class FakeSubject : public simulations::Subject {
 public:
  explicit FakeSubject(simulations::Options options, std::string usual = "passed")
      : options_(std::move(options)), usual_(std::move(usual)) {}

  simulations::SimulatedRun run(uint64_t seed) override {
    const bool wrong = options_.executor == ExecutorKind::threads ? seed % 2 == 0
                       : options_.executor == ExecutorKind::pct   ? seed % 3 == 0
                                                                  : false;
    simulations::SimulatedRun run{.outcome = wrong ? "wrong" : "passed", .problems = {}};
    run.tasks = 5;
    if (wrong) run.problems.emplace_back("wrong");
    if (wrong && options_.executor == ExecutorKind::pct) run.problems.emplace_back("late");
    return run;
  }
  simulations::Shrunk shrink(uint64_t) override { return {"4-1", "a story", true}; }
  simulations::SimulatedRun run_shrunk(uint64_t, const std::string&, std::string&) override {
    return {};
  }
  [[nodiscard]] std::vector<std::string> usual_outcomes() const override { return {usual_}; }

 private:
  simulations::Options options_;
  std::string usual_;
};

DrawnUnit fake_unit(FanOutKind fan_out = FanOutKind::word) {
  simulations::Options options;
  options.executor = ExecutorKind::threads;
  options.fan_out = fan_out;
  return {"fake/threads", options,
          [](const simulations::Options& given) { return std::make_unique<FakeSubject>(given); }};
}

TEST(DrawnUnits, CountWhatIsWrongAndKeepIt) {
  DrawnUnit unit = fake_unit();
  UnitCounts counts;
  const UnitReport report = unit.run({.runs = 4}, {1, 99}, counts);
  EXPECT_EQ(counts.wrong(), 2U);
  ASSERT_EQ(counts.first_wrong().size(), 2U);
  EXPECT_EQ(counts.first_wrong()[0].seed, 2U);
  EXPECT_EQ(counts.first_wrong()[1].seed, 4U);
  EXPECT_THAT(counts.first_wrong()[0].problems, testing::ElementsAre("wrong"));
  EXPECT_EQ(counts.tasks.load(), 20U);
  ASSERT_EQ(report.wrong.size(), 2U);
  EXPECT_EQ(report.wrong[0].seed, 2U);
  EXPECT_EQ(report.outcomes.at("wrong"), 2U);
}

/// The run with which so many tasks have run is the last.
TEST(DrawnUnits, RunAsManyTasksAsTheyAreGiven) {
  for (const uint64_t tasks : {20U, 16U}) {
    UnitCounts counts;
    fake_unit().run({.tasks = tasks}, {1, 99}, counts);
    EXPECT_EQ(counts.runs.load(), 4U) << tasks;
  }
}

/// No run on this executor is wrong.
TEST(DrawnUnits, SayWhatAThousandRunsHaveNotShown) {
  simulations::Options options;
  options.executor = ExecutorKind::packed;
  DrawnUnit unit("fake/packed", options, [](const simulations::Options& given) {
    return std::make_unique<FakeSubject>(given, "never");
  });
  UnitCounts counts;
  EXPECT_THAT(unit.run({}, {1, 1000}, counts).never_seen, testing::ElementsAre("never"));
}

/// Its simulations have no end, or a kernel in them has none.
class EndlessSubject final : public FakeSubject {
 public:
  EndlessSubject(const simulations::Options& options, bool times_out)
      : FakeSubject(options), times_out_(times_out) {}
  simulations::SimulatedRun run(uint64_t seed) override {
    simulations::SimulatedRun run = FakeSubject::run(seed);
    (times_out_ ? run.timed_out : run.livelocked) = run.wrong();
    return run;
  }

 private:
  bool times_out_;
};

TEST(DrawnUnits, WhatDoesNotEndByItselfIsNotMadeSmaller) {
  for (const bool times_out : {false, true}) {
    DrawnUnit unit("fake/threads", {}, [&](const simulations::Options& given) {
      return std::make_unique<EndlessSubject>(given, times_out);
    });
    const Simulated found = wrong_simulation(unit, 6);
    EXPECT_EQ(found.token, "simulate/graphs:plain@pct:6");
    EXPECT_EQ(found.story, "wrong: wrong\nwrong: late\n");
    EXPECT_FALSE(found.may_shrink) << times_out;
  }
}

/// It can be made smaller without end.
class LargeSubject final : public FakeSubject {
 public:
  explicit LargeSubject(const simulations::Options& options)
      : FakeSubject(options), stop_(options.stop) {}
  simulations::Shrunk shrink(uint64_t seed) override {
    while (!stop_.stop_requested()) std::this_thread::yield();
    return FakeSubject::shrink(seed);
  }

 private:
  std::stop_token stop_;
};

TEST(DrawnUnits, AreMadeSmallerForSoLong) {
  const HangGuard guard("a seed that is made smaller");
  DrawnUnit unit("fake/threads", {}, [](const simulations::Options& given) {
    return std::make_unique<LargeSubject>(given);
  });
  constexpr auto time = std::chrono::milliseconds(20);
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(unit.shrink("simulate/graphs:plain@pct:6", time).token,
            "simulate/graphs:plain@pct:6:4-1");
  EXPECT_GE(std::chrono::steady_clock::now() - begin, time);
}

/// Its smallest run is right, as if a kernel remembered those before.
class ForgetfulSubject final : public FakeSubject {
 public:
  using FakeSubject::FakeSubject;
  simulations::Shrunk shrink(uint64_t) override { return {"4-1", "a story", false}; }
};

TEST(DrawnUnits, WhatIsRightWhenSmallerIsNotTheSame) {
  DrawnUnit unit("fake/threads", {}, [](const simulations::Options& given) {
    return std::make_unique<ForgetfulSubject>(given);
  });
  EXPECT_EQ(unit.shrink("simulate/graphs:plain@pct:6", std::chrono::hours(1)).token, "");
}

/// Its second run is wrong, and memory ends in the third.
class EndingSubject final : public FakeSubject {
 public:
  using FakeSubject::FakeSubject;
  simulations::SimulatedRun run(uint64_t seed) override {
    if (seed == 3) throw std::bad_alloc();
    return FakeSubject::run(seed);
  }
};

TEST(DrawnUnits, ThrowWhatEndsThemAfterAWrongRun) {
  simulations::Options options;
  options.executor = ExecutorKind::threads;
  DrawnUnit unit("fake/threads", options, [](const simulations::Options& given) {
    return std::make_unique<EndingSubject>(given);
  });
  UnitCounts counts;
  EXPECT_THROW(unit.run({}, {1, 99}, counts), std::bad_alloc);
  EXPECT_EQ(counts.wrong(), 1U);
}

TEST(DrawnUnits, SayTheirFanOut) {
  EXPECT_EQ(named(drawn_units({}), "graphs/plain/packed").fan_out(), FanOutKind::word);
  for (const auto& unit : drawn_units({.fan_out = FanOutKind::lock})) {
    EXPECT_EQ(unit->fan_out(), FanOutKind::lock) << unit->name();
  }
}

TEST(DrawnUnits, AWrongSeedIsLookedForInEachSimulation) {
  DrawnUnit unit = fake_unit();
  const Simulated found = wrong_simulation(unit, 6);
  EXPECT_EQ(found.token, "simulate/graphs:plain@pct:6");
  EXPECT_EQ(found.story, "wrong: wrong\nwrong: late\n");
  EXPECT_TRUE(found.may_shrink);
  const Simulated smaller = unit.shrink(found.token, std::chrono::hours(1));
  EXPECT_EQ(smaller.token, "simulate/graphs:plain@pct:6:4-1");
  EXPECT_EQ(smaller.story, "a story");
  EXPECT_EQ(wrong_simulation(unit, 8).token, "");
  EXPECT_TRUE(fake_unit(FanOutKind::lock).simulations(6).empty());
}

}  // namespace
}  // namespace pto2::stress
