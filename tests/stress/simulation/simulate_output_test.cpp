/// The exit code of simulate, which scripts rely on.
#include "stress/simulation/simulate_output.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <exception>
#include <fstream>
#include <new>
#include <sstream>

namespace pto2::simulations {
namespace {

using testing::HasSubstr;

class Output : public testing::Test {
 protected:
  Output() { summary_.runs = 5; }

  /// What is written for scripts: the files.
  cli::ExitCode finish(std::optional<cli::ExitCode> interrupted = {}) {
    const std::string folder = testing::TempDir();
    cli::ExitCode code{};
    testing::internal::CaptureStdout();
    {
      SimulateOutput output(folder + "simulate.json", folder + "simulate.xml");
      code = output.finish(options_, seeds_, summary_, shrunk_, interrupted);
    }
    text_ = testing::internal::GetCapturedStdout();
    json_ = read(folder + "simulate.json");
    junit_ = read(folder + "simulate.xml");
    return code;
  }
  static std::string read(const std::string& file) {
    std::stringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
  }
  void expect_verdict(const std::string& verdict) {
    EXPECT_THAT(json_, HasSubstr("\"verdict\": \"" + verdict + "\""));
  }

  Options options_;
  cli::NumberRange seeds_{1, 5};
  Summary summary_;
  std::optional<Shrunk> shrunk_;
  std::string text_;
  std::string json_;
  std::string junit_;
};

TEST_F(Output, PassesIfAllRunsWereRight) {
  EXPECT_EQ(finish(), cli::exit_pass);
  expect_verdict("pass");
}

TEST_F(Output, OneWrongRunFails) {
  summary_.wrong_runs = 1;
  summary_.wrong = {{3, {"odd"}}};
  shrunk_ = Shrunk{"4-2.1", "the story\n"};
  EXPECT_EQ(finish(), cli::exit_fail);
  expect_verdict("fail");
  EXPECT_THAT(text_, HasSubstr("wrong: seed 3: odd\nmade smaller:\nthe story\nrepeat: pto2 replay "
                               "simulate/graphs:plain@sc:3:4-2.1\n"));
  EXPECT_THAT(json_, HasSubstr("\"story\": \"the story\\n\""));
  EXPECT_THAT(junit_, HasSubstr("odd; pto2 replay simulate/graphs:plain@sc:3:4-2.1"));
}

/// Of seed 3 it is none that the problem of seed 31 is told.
TEST_F(Output, TheSeedIsToldOnce) {
  summary_.wrong_runs = 2;
  summary_.wrong = {{2, {"seed 2, point 156: aiv0: data race"}}, {3, {"seed 31, point 9: odd"}}};
  EXPECT_EQ(finish(), cli::exit_fail);
  EXPECT_THAT(text_, HasSubstr("wrong: seed 2, point 156: aiv0: data race\n"));
  EXPECT_THAT(text_, HasSubstr("wrong: seed 3: seed 31, point 9: odd\n"));
}

TEST_F(Output, OfOtherWrongSeedsTheTokenIsThatOfTheirRun) {
  summary_.wrong_runs = 2;
  summary_.wrong = {{3, {"odd"}}, {4, {"even"}}};
  shrunk_ = Shrunk{"4-2.1", ""};
  EXPECT_EQ(finish(), cli::exit_fail);
  EXPECT_THAT(text_, HasSubstr("seed 4: even\nrepeat: pto2 replay simulate/graphs:plain@sc:4\n"));
}

TEST_F(Output, AnUnusualDeadlineIsRepeated) {
  summary_.wrong = {{3, {"odd"}}};
  summary_.wrong_runs = 1;
  EXPECT_EQ(finish(), cli::exit_fail);
  EXPECT_THAT(text_, testing::Not(HasSubstr("--deadline")));
  options_.deadline_ms = 5000;
  EXPECT_EQ(finish(), cli::exit_fail);
  const std::string command = "pto2 replay simulate/graphs:plain@sc:3 --deadline 5";
  EXPECT_THAT(text_, HasSubstr("repeat: " + command + "\n"));
  EXPECT_THAT(junit_, HasSubstr("odd; " + command));
  EXPECT_THAT(json_, HasSubstr("\"token\": \"simulate/graphs:plain@sc:3\""));
}

/// As if a run had been made for each seed up to the tenth wrong one.
TEST_F(Output, EnoughWrongSeedsAreToldIfSomeWereNotTried) {
  const std::string told = "10 wrong seeds are enough: the seeds that follow were not tried\n";
  for (uint64_t seed = 1; seed <= most_wrong; ++seed) summary_.wrong.push_back({seed, {"odd"}});
  summary_.runs = summary_.wrong_runs = most_wrong;
  seeds_.last = most_wrong + 1;
  EXPECT_EQ(finish(), cli::exit_fail);
  EXPECT_THAT(text_, testing::StartsWith(told));
  seeds_.last = most_wrong;
  EXPECT_EQ(finish(), cli::exit_fail);
  EXPECT_THAT(text_, testing::Not(HasSubstr(told)));
}

/// A signal that comes later, while the first wrong seed is made smaller, has kept none from it.
TEST_F(Output, SeedsThatOthersKeptFromBeingTriedAreNoInterruption) {
  for (uint64_t seed = 1; seed <= most_wrong; ++seed) summary_.wrong.push_back({seed, {"odd"}});
  summary_.runs = summary_.wrong_runs = most_wrong;
  seeds_.last = most_wrong + 1;
  shrunk_ = Shrunk{"4-2.1", ""};
  EXPECT_EQ(finish(cli::exit_interrupted), cli::exit_fail);
  EXPECT_THAT(text_, testing::StartsWith(
                         "10 wrong seeds are enough: the seeds that follow were not tried\n"
                         "interrupted: the first wrong seed may be larger than it need be\nwrong"));
  EXPECT_THAT(json_, HasSubstr("\"interrupted\": false"));
  EXPECT_THAT(junit_, testing::Not(HasSubstr("<skipped")));
  shrunk_.reset();
  summary_.wrong.resize(1);
  summary_.timed_out = true;
  EXPECT_EQ(finish(cli::exit_interrupted), cli::exit_fail);
  EXPECT_THAT(text_, testing::StartsWith("a run did not end by itself: "));
  EXPECT_THAT(json_, HasSubstr("\"interrupted\": false"));
  summary_.timed_out = false;
  summary_.failure = std::make_exception_ptr(std::bad_alloc());
  EXPECT_EQ(finish(cli::exit_interrupted), cli::exit_fail);
  EXPECT_THAT(text_, testing::StartsWith("a run could not be made: "));
  EXPECT_THAT(json_, HasSubstr("\"interrupted\": false"));
}

TEST_F(Output, ARunThatTimedOutIsToldWithWhatWasNotTried) {
  const std::string told =
      "a run did not end by itself: the seeds that follow were not tried, and "
      "none was made smaller\n";
  summary_.wrong_runs = 1;
  summary_.wrong = {{3, {"it stays"}}};
  summary_.timed_out = true;
  seeds_.last = 6;
  EXPECT_EQ(finish(), cli::exit_fail);
  EXPECT_THAT(text_, testing::StartsWith(told + "wrong: seed 3: it stays\nrepeat: pto2 replay "
                                                "simulate/graphs:plain@sc:3\n"));
  seeds_.last = 5;
  EXPECT_EQ(finish(), cli::exit_fail);
  EXPECT_THAT(text_, testing::StartsWith(
                         "a run did not end by itself: none was made smaller\nwrong: seed 3"));
  summary_.timed_out = false;
  EXPECT_EQ(finish(), cli::exit_fail);
  EXPECT_THAT(text_, testing::StartsWith("wrong: seed 3"));
}

TEST_F(Output, ARunThatCouldNotBeMadeIsToldWithWhatWasNotTried) {
  summary_.wrong_runs = 1;
  summary_.wrong = {{3, {"odd"}}};
  summary_.failure = std::make_exception_ptr(std::bad_alloc());
  EXPECT_EQ(finish(), cli::exit_fail);
  expect_verdict("fail");
  EXPECT_THAT(text_, testing::StartsWith("a run could not be made: the seeds that follow were not "
                                         "tried, and none was made smaller\nwrong: seed 3: odd\n"));
}

TEST_F(Output, WhatWasNeverSeenIsInconclusive) {
  summary_.never_seen = {"heap_ring_deadlock"};
  EXPECT_EQ(finish(), cli::exit_inconclusive);
  expect_verdict("inconclusive");
  EXPECT_THAT(text_, HasSubstr("never seen, which so many seeds should show: heap_ring_deadlock"));
  EXPECT_THAT(junit_, HasSubstr("<skipped"));
  summary_.wrong_runs = 1;
  summary_.wrong = {{3, {"odd"}}};
  EXPECT_EQ(finish(), cli::exit_fail) << "a wrong run weighs more";
}

TEST_F(Output, NoRunIsInconclusive) {
  summary_.runs = 0;
  EXPECT_EQ(finish(), cli::exit_inconclusive);
}

TEST_F(Output, AnInterruptionIsItsSignals) {
  seeds_.last = 6;
  EXPECT_EQ(finish(cli::exit_interrupted), cli::exit_interrupted);
  expect_verdict("interrupted");
  summary_.wrong_runs = 1;
  summary_.wrong = {{3, {"odd"}}};
  EXPECT_EQ(finish(cli::exit_interrupted), cli::exit_fail) << "a wrong run weighs more";
  expect_verdict("fail");
}

/// All have been tried, but the first wrong one not to the end with less and less.
TEST_F(Output, AnInterruptionBehindTheLastSeedKeepsNoneFromBeingTried) {
  EXPECT_EQ(finish(cli::exit_interrupted), cli::exit_pass);
  expect_verdict("pass");
  EXPECT_THAT(text_, testing::Not(HasSubstr("interrupted")));
  summary_.wrong_runs = 1;
  summary_.wrong = {{3, {"odd"}}};
  EXPECT_EQ(finish(cli::exit_interrupted), cli::exit_fail);
  EXPECT_THAT(text_, testing::StartsWith("wrong: seed 3"));
  shrunk_ = Shrunk{"4-2.1", ""};
  EXPECT_EQ(finish(cli::exit_interrupted), cli::exit_fail);
  EXPECT_THAT(text_, testing::StartsWith("interrupted: the first wrong seed may be larger than it "
                                         "need be\nwrong: seed 3"));
  EXPECT_THAT(json_, HasSubstr("\"interrupted\": false"));
}

TEST_F(Output, TellsWhatBecameOfEachFault) {
  summary_.faults[Fault::none] = {2, 0, {{"passed", 2}}};
  summary_.faults[Fault::lost_after_ack] = {3, 1, {{"core_lost", 1}, {"passed", 2}}};
  EXPECT_EQ(finish(), cli::exit_pass);
  EXPECT_THAT(text_, testing::Not(HasSubstr("fault"))) << "none is asked for";
  EXPECT_THAT(json_, testing::Not(HasSubstr("fault")));
  options_.faults = parse_faults("lost_after_ack");
  EXPECT_EQ(finish(), cli::exit_pass);
  EXPECT_THAT(text_, HasSubstr("fault none: 2 runs: 2 passed\n"
                               "fault lost_after_ack: 3 runs, 1 came to it: 1 core_lost, 2 "
                               "passed\n"));
  EXPECT_THAT(json_, HasSubstr("\"listed_faults\": \"lost_after_ack\""));
  EXPECT_THAT(json_, HasSubstr("\"lost_after_ack\": {\n      \"runs\": 3,\n      "
                               "\"reached\": 1,\n      \"outcomes\": {\n        "
                               "\"core_lost\": 1,\n        \"passed\": 2\n"));
}

TEST_F(Output, NamesWhatWasSimulated) {
  EXPECT_EQ(finish(), cli::exit_pass);
  EXPECT_THAT(text_, HasSubstr("random plain graphs"));
  options_.clustered = options_.mistakes = true;
  EXPECT_EQ(finish(), cli::exit_pass);
  EXPECT_THAT(text_, HasSubstr("random clustered graphs with mistakes"));
  options_ = {};
  options_.workload = "bgemm";
  options_.case_name = "Case1";
  EXPECT_EQ(finish(), cli::exit_pass);
  EXPECT_THAT(text_, HasSubstr("bgemm Case1"));
  EXPECT_THAT(text_, testing::Not(HasSubstr("stub kernels")));
  options_.stub_kernels = true;
  EXPECT_EQ(finish(), cli::exit_pass);
  EXPECT_THAT(text_, HasSubstr("bgemm Case1, stub kernels"));
}

TEST_F(Output, TellsHowRunsWereWeakenedAndNotJudged) {
  EXPECT_EQ(finish(), cli::exit_pass);
  EXPECT_THAT(text_, HasSubstr("random plain graphs, sc: 5 seeds"));
  EXPECT_THAT(json_, testing::Not(HasSubstr("weakened")));
  EXPECT_THAT(json_, HasSubstr("\"validated\": true"));
  EXPECT_THAT(junit_, HasSubstr("\"pto2 simulate random plain graphs\""));
  options_.weaken = "core_mailbox.dispatch";
  EXPECT_EQ(finish(), cli::exit_pass);
  EXPECT_THAT(text_, HasSubstr("random plain graphs, core_mailbox.dispatch relaxed, sc: 5 seeds"));
  EXPECT_THAT(json_, HasSubstr("\"weakened\": \"core_mailbox.dispatch\""));
  options_.validate = false;
  EXPECT_EQ(finish(), cli::exit_pass);
  const std::string name = "random plain graphs, core_mailbox.dispatch relaxed, not validated";
  EXPECT_THAT(text_, testing::StartsWith(name + ", sc: 5 seeds"));
  EXPECT_THAT(json_, HasSubstr("\"validated\": false"));
  EXPECT_THAT(junit_, HasSubstr("\"pto2 simulate " + name + "\""));
}

TEST_F(Output, NoTimeIsNoRate) {
  EXPECT_EQ(finish(), cli::exit_pass);
  EXPECT_THAT(text_, HasSubstr(" s, 0 runs/s"));
}

}  // namespace
}  // namespace pto2::simulations
