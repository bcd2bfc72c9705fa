#include "stress/stressing/stress.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <new>

#include "runtime/output/shared_with_forks.hpp"
#include "tests/support/usual_signals.hpp"

namespace pto2::stress {
namespace {

using testing::HasSubstr;

/// Has a run for each seed until the budget is used up; `judge` says what is wrong.
class FakeUnit final : public Unit {
 public:
  using Judge = std::function<std::string(uint64_t seed)>;

  explicit FakeUnit(Judge judge, bool has_seeds = true, uint64_t tasks_of_a_run = 10)
      : Unit("fake/unit"),
        judge_(std::move(judge)),
        has_seeds_(has_seeds),
        tasks_of_a_run_(tasks_of_a_run) {}

  [[nodiscard]] bool has_seeds() const override { return has_seeds_; }
  [[nodiscard]] std::optional<FanOutKind> fan_out() const override {
    return has_seeds_ ? std::optional(FanOutKind::lock) : std::nullopt;
  }
  [[nodiscard]] std::string options_of_repeat() const override { return " --stub-kernels"; }
  UnitReport run(const Budget& budget, const cli::NumberRange& seeds, UnitCounts& counts) override {
    UnitReport report;
    for (uint64_t seed = seeds.first; seed <= seeds.last && report.wrong.empty(); ++seed) {
      if (counts.runs.load() >= budget.runs || counts.tasks.load() >= budget.tasks) break;
      counts.seed.store(seed);
      const std::string problem = judge_(seed);
      ++counts.runs;
      if (has_seeds_) counts.tasks += tasks_of_a_run_;
      ++report.outcomes[problem.empty() ? "passed" : "wrong"];
      if (problem.empty()) continue;
      counts.add_wrong(seed, {problem});
      report.wrong.push_back({seed, {problem}});
    }
    return report;
  }
  [[nodiscard]] std::vector<std::string> simulations(uint64_t seed) const override {
    return {"token of " + std::to_string(seed)};
  }
  [[nodiscard]] Simulated simulate(const std::string& token) override {
    return {token, "long story", true};
  }
  [[nodiscard]] Simulated shrink(const std::string& token, std::chrono::nanoseconds) override {
    return {"smaller " + token, "story"};
  }

 private:
  Judge judge_;
  bool has_seeds_;
  uint64_t tasks_of_a_run_;
};

/// Two runs of it are wrong, one of them in two ways. Shows what it was given.
class WrongTwice final : public Unit {
 public:
  struct Given {
    std::atomic<uint64_t> runs;
    std::atomic<uint64_t> first_seed;
    std::atomic<uint64_t> last_seed;
    std::atomic<double> seconds;
  };
  using Shared = cli::SharedWithForks<Given>;

  explicit WrongTwice(const Shared& given) : Unit("fake/twice"), given_(given) {}

  [[nodiscard]] bool has_seeds() const override { return true; }
  UnitReport run(const Budget& budget, const cli::NumberRange& seeds, UnitCounts& counts) override {
    given_->runs = budget.runs;
    given_->first_seed = seeds.first;
    given_->last_seed = seeds.last;
    given_->seconds = budget.seconds;
    counts.runs += 7;
    return {{}, {"heap_ring_deadlock"}, {{3, {"late", "odd"}}, {5, {"later"}}}};
  }

 private:
  const Shared& given_;
};

class CrashesAtOnce final : public Unit {
 public:
  CrashesAtOnce() : Unit("fake/crash") {}

  [[nodiscard]] bool has_seeds() const override { return true; }
  UnitReport run(const Budget&, const cli::NumberRange&, UnitCounts&) override { std::abort(); }
};

StressOptions options_of(const Budget& budget) {
  StressOptions options;
  options.budget = budget;
  options.repeat_tries = 6;
  return options;
}

UnitResult stress(Unit&& unit, const StressOptions& options) {
  PendingSignals signals;
  return stress(unit, options, signals);
}

TEST(Stress, CountsRunsTasksAndSeeds) {
  const UnitResult result =
      stress(FakeUnit([](uint64_t) { return ""; }), options_of({.tasks = 45}));
  EXPECT_EQ(result.name, "fake/unit");
  EXPECT_EQ(result.runs, 5U);
  EXPECT_EQ(result.tasks, 50U);
  EXPECT_EQ(result.seeds.first, 1U);
  EXPECT_EQ(result.seeds.last, 5U);
  EXPECT_EQ(result.report.outcomes.at("passed"), 5U);
  EXPECT_TRUE(result.failures.empty());
  EXPECT_FALSE(result.interrupted);
  EXPECT_TRUE(result.has_report);
  EXPECT_GT(result.seconds, 0);
  EXPECT_TRUE(result.has_seeds);
  EXPECT_EQ(result.fan_out, FanOutKind::lock);
}

/// Those of runs that have none stay none, and seeds of which none was begun begin with the first.
TEST(Stress, CountsNoTasksAndNoSeedsThatThereWereNot) {
  const auto right = [](uint64_t) { return ""; };
  EXPECT_EQ(stress(FakeUnit(right, true, 0), options_of({.runs = 3})).tasks, 0U);
  StressOptions options = options_of({.runs = 0});
  options.seeds = {5, 9};
  const UnitResult result = stress(FakeUnit(right), options);
  EXPECT_EQ(result.seeds.first, 5U);
  EXPECT_EQ(result.seeds.last, 5U);
}

TEST(Stress, OfAScenarioARunIsATask) {
  const UnitResult result =
      stress(FakeUnit([](uint64_t) { return ""; }, false), options_of({.runs = 3}));
  EXPECT_EQ(result.runs, 3U);
  EXPECT_EQ(result.tasks, 3U);
  EXPECT_FALSE(result.has_seeds);
}

TEST(Stress, AWrongRunIsTriedAgainAndLookedForInSimulations) {
  const UnitResult result = stress(
      FakeUnit([](uint64_t seed) { return seed == 4 ? "too late" : ""; }), options_of({.runs = 9}));
  ASSERT_EQ(result.failures.size(), 1U);
  const Failure& failure = result.failures[0];
  EXPECT_THAT(failure.text, HasSubstr("too late"));
  EXPECT_EQ(failure.command, "pto2 stress fake/unit --seeds 4..4 --noise none --stub-kernels");
  EXPECT_EQ(failure.seen, 6U);
  EXPECT_EQ(failure.tries, 6U);
  EXPECT_EQ(failure.token, "smaller token of 4");
  EXPECT_EQ(failure.story, "story");
}

TEST(Stress, TheFirstWrongRunAloneIsTriedAgainAndAllAreTold) {
  const WrongTwice::Shared given;
  StressOptions options = options_of({.runs = 9});
  options.repeat_tries = 2;
  const UnitResult result = stress(WrongTwice(given), options);
  EXPECT_EQ(given->runs, 1U);
  EXPECT_EQ(given->first_seed, 3U);
  EXPECT_EQ(given->last_seed, 3U);
  EXPECT_LE(given->seconds, options.repeat_seconds);
  ASSERT_EQ(result.failures.size(), 2U);
  EXPECT_EQ(result.failures[0].text, "late\nodd");
  EXPECT_EQ(result.failures[0].tries, 2U);
  EXPECT_EQ(result.failures[1].text, "later");
  EXPECT_EQ(result.failures[1].tries, 0U);
  EXPECT_THAT(result.report.never_seen, testing::ElementsAre("heap_ring_deadlock"));
}

TEST(Stress, SaysHowOftenItIsSeen) {
  const cli::SharedWithForks<std::atomic<int>> calls;
  const UnitResult result =
      stress(FakeUnit([&](uint64_t) { return calls->fetch_add(1) % 3 == 0 ? "now and then" : ""; }),
             options_of({.runs = 2}));
  ASSERT_EQ(result.failures.size(), 1U);
  EXPECT_EQ(result.failures[0].tries, 6U);
  EXPECT_EQ(result.failures[0].seen, 2U);  // calls 1..6, of which 3 and 6
}

TEST(Stress, AFailureIsTriedAgainForSoLong) {
  const cli::SharedWithForks<std::atomic<int>> calls;
  StressOptions options = options_of({.runs = 2});
  options.repeat_seconds = 0.5;
  const auto slow = [&](uint64_t) {
    if (calls->fetch_add(1) != 0) usleep(200'000);
    return "late";
  };
  const UnitResult result = stress(FakeUnit(slow), options);
  ASSERT_EQ(result.failures.size(), 1U);
  EXPECT_LE(result.failures[0].tries, 3U);
  EXPECT_EQ(result.failures[0].seen, result.failures[0].tries);
}

/// Its first run is wrong. Those of a try are right, and slow.
class RightAgain final : public Unit {
 public:
  RightAgain() : Unit("fake/again") {}

  [[nodiscard]] bool has_seeds() const override { return false; }
  UnitReport run(const Budget& budget, const cli::NumberRange&, UnitCounts& counts) override {
    if (budget.seconds == Budget{}.seconds) {
      counts.runs += 4;
      counts.add_wrong(1, {"late"});
      return {{}, {}, {{1, {"late"}}}};
    }
    const auto end = std::chrono::steady_clock::now() + budget.time();
    while (counts.runs < budget.runs && std::chrono::steady_clock::now() < end) {
      usleep(20'000);
      ++counts.runs;
    }
    return {};
  }
};

/// Nine runs of 20 ms are one. What they have shown until then is told.
TEST(Stress, ATryThatTheTimeCutsOffIsNone) {
  StressOptions options = options_of({});
  options.repeat_seconds = 0.06;
  const UnitResult cut_off = stress(RightAgain(), options);
  ASSERT_EQ(cut_off.failures.size(), 1U);
  EXPECT_EQ(cut_off.failures[0].tries, 0U);
  EXPECT_GE(cut_off.failures[0].runs_cut_off, 1U);
  EXPECT_LT(cut_off.failures[0].runs_cut_off, 9U);
  options.repeat_seconds = 60;
  options.repeat_tries = 1;
  const UnitResult whole = stress(RightAgain(), options);
  ASSERT_EQ(whole.failures.size(), 1U);
  EXPECT_EQ(whole.failures[0].tries, 1U);
  EXPECT_EQ(whole.failures[0].runs_cut_off, 0U);
  EXPECT_EQ(whole.failures[0].seen, 0U);
}

TEST(Stress, ATryThatASignalEndsIsNone) {
  const cli::SharedWithForks<std::atomic<int>> calls;
  StressOptions options = options_of({.runs = 2});
  options.progress = [&](const Unit&, const UnitCounts&, double) {
    if (calls->load() == 3) raise(SIGTERM);
  };
  const auto hangs_at_last = [&](uint64_t) {
    if (calls->fetch_add(1) == 2) pause();
    return "late";
  };
  const UnitResult result = stress(FakeUnit(hangs_at_last), options);
  ASSERT_EQ(result.failures.size(), 1U);
  EXPECT_EQ(result.failures[0].tries, 1U);
  EXPECT_EQ(result.failures[0].seen, 1U);
}

TEST(Stress, ACrashIsAFailureWithTheSeedUnderWay) {
  const UnitResult result = stress(FakeUnit([](uint64_t seed) -> std::string {
                                     if (seed != 3) return "";
                                     std::fputs("invariant violated\n", stderr);
                                     std::abort();
                                   }),
                                   options_of({.runs = 9}));
  EXPECT_EQ(result.runs, 2U);
  ASSERT_EQ(result.failures.size(), 1U);
  EXPECT_EQ(result.failures[0].text, "invariant violated\nended by SIGABRT");
  EXPECT_THAT(result.failures[0].command, HasSubstr("--seeds 3..3"));
  EXPECT_EQ(result.failures[0].seen, 6U);
}

TEST(Stress, ACrashWithoutAWordIsToldByItsSignal) {
  const UnitResult result =
      stress(FakeUnit([](uint64_t) -> std::string { return raise(SIGKILL), ""; }), options_of({}));
  ASSERT_EQ(result.failures.size(), 1U);
  EXPECT_EQ(result.failures[0].text, "ended by SIGKILL");
}

/// Nothing is known of the seed under way.
TEST(Stress, ACrashBeforeTheFirstRunIsToldWithTheFirstSeed) {
  StressOptions options = options_of({.runs = 9});
  options.seeds = {5, 9};
  const UnitResult result = stress(CrashesAtOnce(), options);
  ASSERT_EQ(result.failures.size(), 1U);
  EXPECT_THAT(result.failures[0].command, HasSubstr("--seeds 5..5"));
}

TEST(Stress, BadInputIsNoFailure) {
  const cli::SharedWithForks<std::atomic<int>> calls;
  const auto refuses = [&](uint64_t) -> std::string {
    ++*calls;
    throw cli::CliError(cli::exit_usage, "no such case; name another");
  };
  try {
    stress(FakeUnit(refuses), options_of({.runs = 9}));
    ADD_FAILURE() << "nothing was thrown";
  } catch (const cli::CliError& error) {
    EXPECT_EQ(error.code(), cli::exit_bad_input);
    EXPECT_STREQ(error.what(), "fake/unit: no such case; name another");
  }
  EXPECT_EQ(calls->load(), 1) << "it is not tried again";
}

TEST(Stress, ATryThatIsRefusedIsNone) {
  const cli::SharedWithForks<std::atomic<int>> calls;
  const auto refuses_the_third = [&](uint64_t) -> std::string {
    if (calls->fetch_add(1) == 2) throw std::bad_alloc();
    return "late";
  };
  testing::internal::CaptureStderr();
  const UnitResult result = stress(FakeUnit(refuses_the_third), options_of({.runs = 2}));
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              HasSubstr("pto2: fake/unit is not tried again any more: out of memory; "));
  ASSERT_EQ(result.failures.size(), 1U);
  EXPECT_EQ(result.failures[0].tries, 1U);
  EXPECT_EQ(result.failures[0].seen, 1U);
}

/// What is wrong is kept where there can be no process for a try.
TEST(Stress, ATryThatTheSystemRefusesIsNone) {
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  const rlimit none{1, files.rlim_max};
  const cli::SharedWithForks<std::atomic<int>> calls;
  const auto takes_files = [&](uint64_t) {
    if (calls->fetch_add(1) == 1) prlimit(getppid(), RLIMIT_NOFILE, &none, nullptr);
    return "late";
  };
  testing::internal::CaptureStderr();
  const UnitResult result = stress(FakeUnit(takes_files), options_of({.runs = 2}));
  setrlimit(RLIMIT_NOFILE, &files);
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              testing::MatchesRegex("pto2: fake/unit is not tried again any more: the system "
                                    "refused: pipe: .*ulimit -a\\)\n"));
  ASSERT_EQ(result.failures.size(), 1U);
  EXPECT_EQ(result.failures[0].text, "late");
  EXPECT_EQ(result.failures[0].tries, 1U);
}

TEST(Stress, AUnitThatIsStoppedIsGivenUpAsOneThatHangs) {
  setenv("PTO2_HANG_SECONDS", "0.5", 1);
  alarm(60);  // ends this program if it is waited for without end
  StressOptions options = options_of({.runs = 9});
  options.repeat_tries = 1;
  const auto stops_at_two = [](uint64_t seed) -> std::string {
    if (seed == 2) raise(SIGSTOP);
    return "";
  };
  const UnitResult result = stress(FakeUnit(stops_at_two), options);
  alarm(0);
  unsetenv("PTO2_HANG_SECONDS");
  EXPECT_FALSE(result.interrupted);
  ASSERT_EQ(result.failures.size(), 1U);
  EXPECT_THAT(result.failures[0].text, HasSubstr("it had used no processor for 0.5 s"));
  EXPECT_THAT(result.failures[0].command, HasSubstr("--seeds 2..2"));
  EXPECT_EQ(result.failures[0].seen, 1U);
}

TEST(Stress, AScenarioIsTriedAgainForAsManyRunsAsItTook) {
  const UnitResult result = stress(
      FakeUnit([](uint64_t seed) -> std::string { return seed == 3 ? std::abort(), "" : ""; },
               false),
      options_of({.runs = 9}));
  ASSERT_EQ(result.failures.size(), 1U);
  EXPECT_EQ(result.failures[0].command, "pto2 stress fake/unit --runs 5 --noise none");
  EXPECT_EQ(result.failures[0].token, "");
}

TEST(Stress, TheUnitAndEachTryHaveTheNoise) {
  StressOptions options = options_of({.runs = 2});
  options.noise = {NoiseKind::delays};
  const auto noisy = [] {
    struct sigaction action {};
    sigaction(SIGURG, nullptr, &action);
    return action.sa_handler != SIG_DFL;
  };
  EXPECT_TRUE(
      stress(FakeUnit([&](uint64_t) { return noisy() ? "" : "quiet"; }), options).failures.empty());
  const UnitResult result =
      stress(FakeUnit([&](uint64_t) { return noisy() ? "noisy" : ""; }), options);
  ASSERT_EQ(result.failures.size(), 1U);
  EXPECT_EQ(result.failures[0].seen, 6U);
  EXPECT_THAT(result.failures[0].command, HasSubstr("--noise delays"));
}

TEST(Stress, ASignalEndsIt) {
  test::have_usual_signals();
  PendingSignals signals;
  StressOptions options = options_of({});
  FakeUnit unit([](uint64_t) { return ""; });
  options.progress = [](const Unit&, const UnitCounts&, double) { raise(SIGINT); };
  testing::internal::CaptureStderr();
  const UnitResult result = stress(unit, options, signals);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "\npto2: interrupted; ending with what was found so far\n");
  EXPECT_TRUE(result.interrupted);
  EXPECT_FALSE(result.has_report);
  EXPECT_TRUE(result.failures.empty());
  EXPECT_EQ(signals.exit_code(), cli::exit_interrupted);
}

/// Its runs 3 and 5 are wrong; what comes then is no run of its own. Tries end with their run.
class WrongAndThen final : public Unit {
 public:
  explicit WrongAndThen(std::function<void()> then) : Unit("fake/then"), then_(std::move(then)) {}

  [[nodiscard]] bool has_seeds() const override { return true; }
  UnitReport run(const Budget& budget, const cli::NumberRange&, UnitCounts& counts) override {
    counts.add_wrong(3, {"late", "odd"});
    if (budget.runs == 1) return {};
    counts.add_wrong(5, {"later"});
    counts.seed = 6;
    then_();
    return {};
  }

 private:
  std::function<void()> then_;
};

void expect_both(const UnitResult& result) {
  EXPECT_FALSE(result.has_report);
  EXPECT_EQ(result.failures[0].text, "late\nodd");
  EXPECT_THAT(result.failures[0].command, HasSubstr("--seeds 3..3"));
  EXPECT_EQ(result.failures[1].text, "later");
  EXPECT_THAT(result.failures[1].command, HasSubstr("--seeds 5..5"));
}

TEST(Stress, WhatWasWrongBeforeASignalIsTold) {
  test::have_usual_signals();
  PendingSignals signals;
  StressOptions options = options_of({});
  options.progress = [](const Unit&, const UnitCounts& counts, double) {
    if (counts.wrong() == 2) raise(SIGINT);
  };
  WrongAndThen unit([] { pause(); });
  const UnitResult result = stress(unit, options, signals);
  ASSERT_EQ(result.failures.size(), 2U);
  expect_both(result);
  EXPECT_EQ(result.failures[0].tries, 0U);
  EXPECT_TRUE(result.interrupted);
}

TEST(Stress, WhatWasWrongBeforeACrashIsToldFirst) {
  const UnitResult result = stress(WrongAndThen([] { std::abort(); }), options_of({}));
  ASSERT_EQ(result.failures.size(), 3U);
  expect_both(result);
  EXPECT_EQ(result.failures[0].seen, 6U);
  EXPECT_EQ(result.failures[2].text, "ended by SIGABRT");
  EXPECT_THAT(result.failures[2].command, HasSubstr("--seeds 6..6"));
}

/// The rest of the unit could not be run, and that is said.
TEST(Stress, WhatWasWrongBeforeARefusalIsTold) {
  testing::internal::CaptureStderr();
  const UnitResult result = stress(WrongAndThen([] { throw std::bad_alloc(); }), options_of({}));
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              HasSubstr("pto2: fake/then ended early: out of memory; "));
  ASSERT_EQ(result.failures.size(), 2U);
  expect_both(result);
}

TEST(UnitCounts, KeepTheFirstWrongRunsAndSoMuchOfTheirText) {
  UnitCounts counts;
  EXPECT_TRUE(counts.first_wrong().empty());
  counts.add_wrong(7, {std::string(UnitCounts::kept_text + 1, 'x')});
  for (uint64_t seed = 8; seed < 7 + simulations::most_wrong + 3; ++seed) {
    counts.add_wrong(seed, {"late"});
  }
  EXPECT_EQ(counts.wrong(), simulations::most_wrong + 3);
  const std::vector<simulations::WrongSeed> first = counts.first_wrong();
  ASSERT_EQ(first.size(), simulations::most_wrong);
  EXPECT_EQ(first[0].seed, 7U);
  EXPECT_EQ(first[0].problems[0], std::string(UnitCounts::kept_text, 'x'));
  EXPECT_EQ(first[9].seed, 16U);
  EXPECT_EQ(first[9].problems[0], "late");
}

}  // namespace
}  // namespace pto2::stress
