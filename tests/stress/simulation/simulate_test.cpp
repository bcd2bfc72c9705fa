/// What simulate() makes of runs, whatever they are of.
#include "stress/simulation/simulate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <set>
#include <stdexcept>
#include <thread>

#include "runtime/executors/weak_memory.hpp"
#include "runtime/output/exit_codes.hpp"

namespace pto2::simulations {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// Its runs are made up.
class MadeUp : public Subject {
 public:
  using Run = std::function<SimulatedRun(uint64_t seed)>;
  MadeUp(Run run, std::vector<std::string> usual)
      : run_(std::move(run)), usual_(std::move(usual)) {}

  SimulatedRun run(uint64_t seed) override { return run_(seed); }
  Shrunk shrink(uint64_t) override { return {}; }
  SimulatedRun run_shrunk(uint64_t, const std::string&, std::string&) override { return {}; }
  [[nodiscard]] std::vector<std::string> usual_outcomes() const override { return usual_; }

 private:
  Run run_;
  std::vector<std::string> usual_;
};

Summary summary_of(const cli::NumberRange& seeds, const MadeUp::Run& run,
                   const std::vector<std::string>& usual = {}) {
  return simulate({}, seeds, 1, {},
                  [&](const Options&) { return std::make_unique<MadeUp>(run, usual); });
}

SimulatedRun passed(uint64_t tasks = 0) {
  SimulatedRun run;
  run.outcome = "passed";
  run.tasks = tasks;
  run.points = 10;
  run.result.points = run.points;
  return run;
}

TEST(Simulate, RunsEverySeedOnceAndOneInSixtyFourTwice) {
  std::multiset<uint64_t> seeds;
  const Summary summary = summary_of({60, 130}, [&](uint64_t seed) {
    seeds.insert(seed);
    return passed(seed);
  });
  EXPECT_EQ(summary.runs, 71U);
  EXPECT_EQ(summary.repeated, 2U);
  EXPECT_EQ(seeds.size(), 73U);
  for (uint64_t seed = 60; seed <= 130; ++seed) {
    EXPECT_EQ(seeds.count(seed), seed == 64 || seed == 128 ? 2U : 1U) << seed;
  }
  EXPECT_EQ(summary.tasks, (60U + 130U) * 71U / 2);
  EXPECT_EQ(summary.points, 710U);
  EXPECT_THAT(summary.outcomes, ElementsAre(testing::Pair("passed", 71U)));
  EXPECT_THAT(summary.wrong, IsEmpty());
}

/// On OS threads two runs of a seed need not be the same.
TEST(Simulate, RunsOnThreadsAreNotRepeated) {
  uint64_t calls = 0;
  Options options;
  options.executor = ExecutorKind::threads;
  const Summary summary = simulate(options, {64, 64}, 1, {}, [&](const Options&) {
    const auto run = [&](uint64_t) {
      ++calls;
      return passed();
    };
    return std::make_unique<MadeUp>(run, std::vector<std::string>{});
  });
  EXPECT_EQ(calls, 1U);
  EXPECT_EQ(summary.repeated, 0U);
}

TEST(Simulate, TellsWhichSeedBeginsAndWhichRunEnds) {
  std::vector<uint64_t> begun;
  std::vector<uint64_t> ended;
  Watch watch;
  watch.begins = [&](uint64_t seed) { begun.push_back(seed); };
  watch.ended = [&](const SimulatedRun& run) { ended.push_back(run.tasks); };
  simulate(
      {}, {5, 7}, 1, {},
      [&](const Options&) {
        const auto run = [&](uint64_t seed) {
          EXPECT_EQ(begun.back(), seed);
          return passed(10 * seed);
        };
        return std::make_unique<MadeUp>(run, std::vector<std::string>{});
      },
      watch);
  EXPECT_THAT(begun, ElementsAre(5, 6, 7));
  EXPECT_THAT(ended, ElementsAre(50, 60, 70));
}

/// The same tasks, points and outcome are not the same run.
TEST(Simulate, ASecondRunWithAnotherHashIsWrong) {
  uint64_t calls = 0;
  const Summary summary = summary_of({64, 64}, [&](uint64_t) {
    SimulatedRun run = passed();
    run.result.tasks = ++calls;
    return run;
  });
  EXPECT_EQ(summary.wrong_runs, 1U);
  ASSERT_EQ(summary.wrong.size(), 1U);
  EXPECT_EQ(summary.wrong[0].seed, 64U);
  EXPECT_THAT(summary.wrong[0].problems,
              ElementsAre("the second run of the seed differed from the first"));
  EXPECT_EQ(summary.repeated, 0U) << "those that were the same";
  EXPECT_THAT(summary.outcomes, ElementsAre(testing::Pair("wrong", 1U)));
  EXPECT_FALSE(summary.may_shrink()) << "a smaller run is made once, and differs from none";
}

/// Of seed 64 the first run passes, with the same result.
Summary summary_of_second(const SimulatedRun& second) {
  uint64_t calls = 0;
  return summary_of({64, 65}, [&](uint64_t) { return ++calls == 2 ? second : passed(); });
}

TEST(Simulate, AProblemThatTheSecondRunAloneHasIsOne) {
  SimulatedRun second = passed();
  second.problems = {"stale", "odd"};
  const Summary summary = summary_of_second(second);
  EXPECT_EQ(summary.runs, 2U);
  ASSERT_EQ(summary.wrong.size(), 1U);
  EXPECT_EQ(summary.wrong[0].seed, 64U);
  EXPECT_THAT(summary.wrong[0].problems,
              ElementsAre("the second run of the seed differed from the first",
                          "of the second run: stale", "of the second run: odd"));
  EXPECT_EQ(summary.repeated, 0U);
}

TEST(Simulate, ASecondRunThatEndsInAnotherWayIsWrong) {
  SimulatedRun second = passed();
  second.outcome = "deadlock";
  EXPECT_EQ(summary_of_second(second).wrong_runs, 1U);
}

TEST(Simulate, EndsWithASecondRunThatTimedOut) {
  SimulatedRun second = passed();
  second.timed_out = true;
  second.problems = {"it stays"};
  const Summary summary = summary_of_second(second);
  EXPECT_TRUE(summary.timed_out);
  EXPECT_EQ(summary.runs, 1U);
}

/// Each smaller run is judged alone, and the first of two may be right.
TEST(Simulate, DoesNotMakeSmallerWhatTheSecondRunAloneHas) {
  SimulatedRun second = passed();
  second.problems = {"stale"};
  EXPECT_FALSE(summary_of_second(second).may_shrink());
}

/// As the replay of its token has it.
TEST(Simulate, TheRunOfASeedAloneIsRepeatedLikeTheOthers) {
  uint64_t calls = 0;
  const auto run = [&](uint64_t) {
    SimulatedRun made = passed();
    made.result.tasks = ++calls;
    made.points = 10 * calls;
    made.fault_reached = calls == 1;
    return made;
  };
  MadeUp subject(run, {});
  const SimulatedRun wrong = run_seed(subject, ExecutorKind::pct, 64);
  EXPECT_EQ(calls, 2U);
  EXPECT_EQ(wrong.outcome, "wrong");
  EXPECT_EQ(wrong.result.tasks, 1U);
  EXPECT_EQ(wrong.points, 10U);
  EXPECT_TRUE(wrong.fault_reached);
  EXPECT_THAT(wrong.problems, ElementsAre("the second run of the seed differed from the first"));
  EXPECT_FALSE(run_seed(subject, ExecutorKind::pct, 65).wrong());
  EXPECT_FALSE(run_seed(subject, ExecutorKind::packed, 64).wrong());
  EXPECT_EQ(calls, 4U);
}

/// They may be told in other words: a problem may name a handle.
TEST(Simulate, WhatIsWrongTwiceIsToldOnce) {
  uint64_t calls = 0;
  const Summary summary = summary_of({64, 64}, [&](uint64_t) {
    SimulatedRun run = passed();
    run.problems = {std::to_string(++calls)};
    return run;
  });
  ASSERT_EQ(summary.wrong.size(), 1U);
  EXPECT_THAT(summary.wrong[0].problems, ElementsAre("1"));
  EXPECT_EQ(summary.repeated, 1U);
}

/// What the simulation gives up has no other result than what it says.
TEST(Simulate, ARunThatIsGivenUpElsewhereIsAnother) {
  uint64_t calls = 0;
  const auto given_up = [&](uint64_t) {
    return SimulatedRun{.outcome = "wrong", .problems = {"point " + std::to_string(++calls)}};
  };
  const Summary summary = summary_of({64, 64}, given_up);
  ASSERT_EQ(summary.wrong.size(), 1U);
  EXPECT_THAT(summary.wrong[0].problems,
              ElementsAre("point 1", "the second run of the seed differed from the first",
                          "of the second run: point 2"));
  EXPECT_EQ(summary.repeated, 0U);
  const Summary same = summary_of(
      {64, 64}, [](uint64_t) { return SimulatedRun{.outcome = "wrong", .problems = {"point 1"}}; });
  EXPECT_EQ(same.repeated, 1U);
}

/// And that run is not made again.
TEST(Simulate, EndsWithARunThatTimedOut) {
  std::vector<uint64_t> seeds;
  const Summary summary = summary_of({62, 1000}, [&](uint64_t seed) {
    seeds.push_back(seed);
    SimulatedRun run = passed();
    run.timed_out = seed == 64;
    if (run.timed_out) run.problems = {"it stays"};
    return run;
  });
  EXPECT_THAT(seeds, ElementsAre(62, 63, 64));
  EXPECT_TRUE(summary.timed_out);
  EXPECT_FALSE(summary.may_shrink());
  EXPECT_EQ(summary.wrong_runs, 1U);
  EXPECT_EQ(summary.repeated, 0U);
  const Summary all_passed = summary_of({1, 2}, [](uint64_t) { return passed(); });
  EXPECT_FALSE(all_passed.timed_out);
  EXPECT_FALSE(all_passed.may_shrink());
}

/// Seeds go on, but each smaller run might take as long.
TEST(Simulate, DoesNotMakeALivelockSmaller) {
  for (const uint64_t livelocked : {2, 4}) {
    const Summary summary = summary_of({1, 5}, [&](uint64_t seed) {
      SimulatedRun run = passed();
      if (seed % 2 == 0) run.problems = {"no end"};
      run.livelocked = seed == livelocked;
      return run;
    });
    EXPECT_EQ(summary.wrong_runs, 2U);
    EXPECT_EQ(summary.may_shrink(), livelocked == 4);
  }
}

TEST(Simulate, KeepsTheFirstWrongSeedsAndEnds) {
  const Summary summary = summary_of({1, 1000}, [](uint64_t seed) {
    SimulatedRun run = passed();
    if (seed % 2 == 0) run.problems = {std::to_string(seed)};
    return run;
  });
  EXPECT_EQ(summary.runs, 2 * most_wrong);
  EXPECT_EQ(summary.wrong_runs, most_wrong);
  ASSERT_EQ(summary.wrong.size(), most_wrong);
  EXPECT_TRUE(summary.may_shrink());
  EXPECT_EQ(summary.wrong.front().seed, 2U);
  EXPECT_THAT(summary.wrong.front().problems, ElementsAre("2"));
}

/// The first run ends when as many others as are enough have ended.
TEST(Simulate, KeepsNoMoreWrongSeedsWithSeveralJobs) {
  std::atomic<std::size_t> ended{0};
  Watch watch;
  watch.ended = [&](const SimulatedRun&) {
    ++ended;
    ended.notify_all();
  };
  const auto run = [&](uint64_t seed) {
    if (seed == 1) {
      for (std::size_t seen = ended; seen < most_wrong; seen = ended) ended.wait(seen);
    }
    SimulatedRun wrong = passed();
    wrong.problems = {std::to_string(seed)};
    return wrong;
  };
  const Summary summary = simulate(
      {}, {1, 1000}, 2, {},
      [&](const Options&) { return std::make_unique<MadeUp>(run, std::vector<std::string>{}); },
      watch);
  EXPECT_EQ(summary.runs, most_wrong + 1);
  EXPECT_EQ(summary.wrong_runs, most_wrong + 1);
  ASSERT_EQ(summary.wrong.size(), most_wrong);
  EXPECT_EQ(summary.wrong.front().seed, 1U);
  EXPECT_EQ(summary.wrong.back().seed, most_wrong);
}

TEST(Simulate, AThousandRunsMissWhatTheyDoNotShow) {
  const auto rare = [](uint64_t seed) {
    SimulatedRun run = passed();
    if (seed == 500) run.outcome = "rare";
    return run;
  };
  EXPECT_THAT(summary_of({1, 1000}, rare, {"passed", "rare", "never", "nowhere"}).never_seen,
              ElementsAre("never", "nowhere"));
  EXPECT_THAT(summary_of({1, 999}, rare, {"never"}).never_seen, IsEmpty());
}

TEST(Simulate, WhatARunThrowsEndsIt) {
  EXPECT_THROW(summary_of({1, 5}, [](uint64_t) -> SimulatedRun { throw std::runtime_error("x"); }),
               std::runtime_error);
}

TEST(Simulate, WhatWasWrongBeforeARunThrowsIsKept) {
  std::set<uint64_t> begun;
  const Summary summary = summary_of({1, 9}, [&](uint64_t seed) {
    begun.insert(seed);
    if (seed == 3) throw std::runtime_error("x");
    return seed == 2 ? SimulatedRun{.outcome = "passed", .problems = {"odd"}} : passed();
  });
  ASSERT_EQ(summary.wrong.size(), 1U);
  EXPECT_EQ(summary.wrong[0].seed, 2U);
  EXPECT_THAT(summary.wrong[0].problems, ElementsAre("odd"));
  EXPECT_EQ(summary.runs, 2U);
  ASSERT_NE(summary.failure, nullptr);
  EXPECT_THROW(std::rethrow_exception(summary.failure), std::runtime_error);
  EXPECT_FALSE(summary.may_shrink());
  EXPECT_THAT(begun, ElementsAre(1, 2, 3));
}

/// Half of the runs for which a fault is drawn come to it.
TEST(Simulate, CountsTheRunsOfEachFault) {
  const auto failing = [](uint64_t seed) {
    SimulatedRun run = passed();
    if (seed % 2 == 0) run.fault = Fault::slow_core;
    run.fault_reached = seed % 4 == 0;
    if (seed == 4) run.problems = {"odd"};
    return run;
  };
  const Summary summary = summary_of({1, 8}, failing);
  EXPECT_EQ(summary.faults.size(), 2U);
  const FaultCounts& slow = summary.faults.at(Fault::slow_core);
  EXPECT_EQ(slow.runs, 4U);
  EXPECT_EQ(slow.reached, 2U);
  EXPECT_THAT(slow.outcomes, ElementsAre(testing::Pair("passed", 3U), testing::Pair("wrong", 1U)));
  EXPECT_EQ(summary.faults.at(Fault::none).runs, 4U);
}

TEST(Simulate, AThousandRunsComeToEachFault) {
  const auto failing = [](uint64_t seed) {
    SimulatedRun run = passed();
    if (seed % 4 == 1) run.fault = Fault::slow_core;
    if (seed % 4 == 2) run.fault = Fault::kept_group;
    run.fault_reached = seed == 2;
    return run;
  };
  EXPECT_THAT(summary_of({1, 1000}, failing).never_seen,
              ElementsAre("a run that comes to slow_core"));
}

Options weakening(const char* order) {
  Options options;
  options.weaken = order;
  return options;
}

/// Interrupted before all runs, it is not the user who has erred.
TEST(Simulate, AnOrderIsUnknownIfNoRunHasAskedForIt) {
  const Options options = weakening("no_such.order");
  const Summary summary = summary_of({1, 3}, [](uint64_t) { return passed(); });
  EXPECT_THROW(check_weakening(options, summary, false), cli::CliError);
  EXPECT_NO_THROW(check_weakening(options, summary, true));
}

/// A wrong run that did not come to the order.
TEST(Simulate, AnUnknownOrderHidesNoWrongRun) {
  const Summary summary = summary_of({1, 3}, [](uint64_t seed) {
    SimulatedRun run = passed();
    if (seed == 2) run.problems = {"odd"};
    return run;
  });
  EXPECT_NO_THROW(check_weakening(weakening("no_such.order"), summary, false));
}

TEST(Simulate, AnOrderIsKnownOnceARunHasAskedForIt) {
  executors::WeakMemory::weakening_was_used = true;
  EXPECT_NO_THROW(check_weakening(weakening("core_mailbox.dispatch"), {}, false));
  executors::WeakMemory::weakening_was_used = false;
}

TEST(Simulate, NoOrderIsUnknownIfNoneIsWeakened) {
  EXPECT_NO_THROW(check_weakening({}, {}, false));
}

/// Of a random graph in which one group was open.
graphs::Census census_of_a_group() {
  RunResult result;
  result.record.events.push_back({.kind = EventKind::allocate});
  graphs::Census census;
  census.add({}, {}, result);
  return census;
}

TEST(Simulate, AThousandGraphsMissTheCasesThatTheyDoNotShow) {
  const auto grouped = [](uint64_t seed) {
    SimulatedRun run = passed();
    if (seed % 2 == 0) run.census = census_of_a_group();
    return run;
  };
  const Summary summary = summary_of({1, 1000}, grouped);
  EXPECT_EQ(summary.census.runs(), 500U);
  EXPECT_EQ(summary.census.of(graphs::Case::groups), 500U);
  EXPECT_EQ(summary.never_seen.size(), graphs::cases - 1);
  EXPECT_THAT(summary.never_seen, testing::Not(testing::Contains("groups")));
  EXPECT_THAT(summary.never_seen, testing::Contains("tasks with pipes"));
  EXPECT_THAT(summary_of({1, 999}, grouped).never_seen, IsEmpty());
  const auto grouped_once = [](uint64_t seed) {
    SimulatedRun run = passed();
    if (seed == 7) run.census = census_of_a_group();
    return run;
  };
  EXPECT_THAT(summary_of({1, 1000}, grouped_once).never_seen,
              testing::Not(testing::Contains("groups")));
}

TEST(Simulate, TakesTheTime) {
  const Summary summary = summary_of({1, 1}, [](uint64_t) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    return passed();
  });
  EXPECT_GE(summary.seconds, 0.002);
}

}  // namespace
}  // namespace pto2::simulations
