#include "stress/stressing/stress_output.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

namespace pto2::stress {
namespace {

UnitResult passed() {
  UnitResult result;
  result.name = "graphs/plain/packed";
  result.runs = 3;
  result.tasks = 40;
  result.seconds = 2;
  result.has_seeds = true;
  result.seeds = {1, 3};
  result.fan_out = FanOutKind::lock;
  result.report.outcomes = {{"passed", 3}};
  return result;
}

UnitResult failed() {
  UnitResult result = passed();
  result.failures.push_back({"late", "pto2 stress X", 3, 200, 0, "simulate/t", "a story\n"});
  return result;
}

/// That was neither tried again nor found in a simulation.
Failure failure_of(const std::string& text, const std::string& command) {
  Failure failure;
  failure.text = text;
  failure.command = command;
  return failure;
}

/// The exit code, and the text on stdout, where one unit more was not tried if it was interrupted.
std::pair<cli::ExitCode, std::string> told(std::vector<UnitResult> results,
                                           std::optional<cli::ExitCode> interrupted = {}) {
  testing::internal::CaptureStdout();
  StressOutput output("", "");
  const std::size_t units = results.size() + (interrupted ? 1 : 0);
  for (UnitResult& result : results) output.add(std::move(result));
  const cli::ExitCode code = output.finish(units, {}, interrupted);
  return {code, testing::internal::GetCapturedStdout()};
}

/// The JSON of a unit.
nlohmann::json json_of(const UnitResult& result, const StressOptions& options) {
  const std::string name = testing::TempDir() + "stress_passed.json";
  StressOutput output(name, "");
  output.add(result);
  output.finish(1, options, {});
  std::ifstream file(name);
  return nlohmann::json::parse(file);
}

TEST(StressOutput, ExitCodesSayHowItCameOut) {
  EXPECT_EQ(told({passed()}).first, cli::exit_pass);
  EXPECT_EQ(told({passed(), failed()}).first, cli::exit_fail);
  EXPECT_EQ(told({failed(), passed()}).first, cli::exit_fail);
  EXPECT_EQ(told({}).first, cli::exit_inconclusive);
  UnitResult nothing = passed();
  nothing.runs = 0;
  EXPECT_EQ(told({passed(), nothing}).first, cli::exit_inconclusive);
  EXPECT_EQ(told({nothing, passed()}).first, cli::exit_inconclusive);
  UnitResult one_sided = passed();
  one_sided.report.never_seen = {"heap_ring_deadlock"};
  EXPECT_EQ(told({one_sided}).first, cli::exit_inconclusive);
  EXPECT_EQ(told({passed()}, cli::exit_interrupted).first, cli::exit_interrupted);
  EXPECT_EQ(told({failed()}, cli::exit_interrupted).first, cli::exit_fail);
}

TEST(StressOutput, AUnitThatWasCutShortIsInconclusive) {
  UnitResult cut_short = passed();
  cut_short.interrupted = true;
  EXPECT_THAT(told({cut_short}).second, testing::StartsWith("inconclusive "));
  EXPECT_THAT(told({passed()}).second, testing::StartsWith("pass "));
}

/// The line of a unit up to its numbers.
std::string line_of(const std::string& verdict) {
  return verdict + std::string(13 - verdict.size(), ' ') + "graphs/plain/packed" +
         std::string(29, ' ');
}

TEST(StressOutput, AUnitIsALineAndAllAreASum) {
  EXPECT_EQ(told({passed()}).second,
            line_of("pass") +
                "        3 runs          40 tasks        20/s     2.0 s  seeds 1..3\n"
                "1 of 1 units, 0 wrong, 0 inconclusive: 3 runs, 40 tasks, 2.0 s, noise none\n");
  UnitResult scenario = passed();
  scenario.has_seeds = false;
  scenario.runs = scenario.tasks = 5;
  scenario.seconds = 0.5;
  EXPECT_THAT(
      told({scenario}).second,
      testing::StartsWith(line_of("pass") +
                          "        5 runs           5 tasks        10/s     0.5 s\n1 of 1 "));
  UnitResult one_sided = passed();
  one_sided.report.never_seen = {"heap_ring_deadlock", "bad_submission"};
  EXPECT_THAT(told({one_sided}).second,
              testing::HasSubstr(
                  "seeds 1..3\nnever seen, which so many runs should show: heap_ring_deadlock\n"
                  "never seen, which so many runs should show: bad_submission\n"));
  EXPECT_THAT(told({passed(), failed(), one_sided, scenario}).second,
              testing::EndsWith("4 of 4 units, 1 wrong, 1 inconclusive: 14 runs, 125 tasks, 6.5 s, "
                                "noise none\n"));
}

/// Nor does one have a rate that took no time.
TEST(StressOutput, AUnitWithoutARunNeedsMoreTime) {
  UnitResult nothing = passed();
  nothing.runs = 0;
  nothing.seconds = 0;
  const char* hint = "no run came to its end in its share of the time: give it more --seconds\n";
  EXPECT_THAT(told({nothing}).second, testing::HasSubstr(hint));
  EXPECT_THAT(told({nothing}).second, testing::HasSubstr(" 0/s "));
  UnitResult interrupted = nothing;
  interrupted.interrupted = true;
  nothing.failures.push_back(failure_of("late", "pto2 stress X"));
  for (const UnitResult& other : {interrupted, nothing}) {
    EXPECT_THAT(told({other}).second, testing::Not(testing::HasSubstr(hint)));
  }
}

/// What is on stderr about so many units without a run, with one that had some.
std::string lack_of(std::size_t units, const Budget& budget, std::size_t not_tried = 0) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  StressOutput output("", "");
  output.add(passed());
  for (std::size_t i = 0; i < units; ++i) {
    UnitResult nothing = passed();
    nothing.name = "unit" + std::to_string(i);
    nothing.runs = 0;
    output.add(std::move(nothing));
  }
  StressOptions options;
  options.budget = budget;
  output.finish(units + 1 + not_tried, options, {});
  testing::internal::GetCapturedStdout();
  return testing::internal::GetCapturedStderr();
}

/// With JSON on stdout it is all that a reader sees. Twice the share that was too short, and not
/// less than what is usually enough.
TEST(StressOutput, UnitsWithoutARunAreNamedOnStderr) {
  const std::string begin = "pto2: inconclusive: no run of ";
  const std::string end = " came to its end in its share of the time; give --seconds at least ";
  EXPECT_EQ(lack_of(0, {.seconds = 0.001}), "");
  EXPECT_EQ(lack_of(1, {.seconds = 0.001}), begin + "unit0" + end + "1\n");
  EXPECT_EQ(lack_of(3, {.seconds = 2}), begin + "unit0, unit1, unit2" + end + "16\n");
  EXPECT_EQ(lack_of(59, {.seconds = 0.01}),
            begin + "unit0, unit1, unit2 and 56 more" + end + "3\n");
  EXPECT_EQ(lack_of(1, {.seconds = 2}, 3), begin + "unit0" + end + "20\n") << "they have a share";
}

TEST(StressOutput, WhatWasNotTriedIsToldAfterAnInterruption) {
  const char* interrupted = "interrupted: what is not listed was not tried\n";
  EXPECT_THAT(told({passed()}, cli::exit_terminated).second,
              testing::HasSubstr(std::string(interrupted) + "1 of 2 units, 0 wrong"));
  EXPECT_THAT(told({passed()}).second, testing::Not(testing::HasSubstr(interrupted)));
}

TEST(StressOutput, AFailureThatWasNotTriedAgainHasACommand) {
  UnitResult result = passed();
  result.failures.push_back(failure_of("late", "pto2 stress X"));
  EXPECT_THAT(told({result}).second,
              testing::HasSubstr("seeds 1..3\nwrong: late\nrepeat: pto2 stress X\n1 of 1 units"));
}

TEST(StressOutput, AFailureIsToldWithItsCommandItsCountAndItsSimulation) {
  const std::string text = told({failed()}).second;
  for (const char* part :
       {"fail  ", "graphs/plain/packed", "3 runs", "40 tasks", "20/s", "seeds 1..3",
        "wrong: late\n", "repeat: pto2 stress X\n", "seen 3 times in 200 tries with this command\n",
        "the same in a simulation:\na story\nrepeat: pto2 replay simulate/t\n",
        "1 of 1 units, 1 wrong"}) {
    EXPECT_THAT(text, testing::HasSubstr(part));
  }
}

/// Whether any try came to its end or not.
TEST(StressOutput, RunsOfACutOffTryAreTold) {
  UnitResult result = passed();
  result.failures.push_back(failure_of("late", "pto2 stress X"));
  result.failures[0].runs_cut_off = 7;
  EXPECT_THAT(told({result}).second,
              testing::HasSubstr("repeat: pto2 stress X\nseen 0 times in 0 tries with this "
                                 "command, and not in 7 runs more\n"));
  result.failures[0].seen = result.failures[0].tries = 4;
  EXPECT_THAT(told({result}).second,
              testing::HasSubstr("seen 4 times in 4 tries with this command, and not in 7 runs "
                                 "more\n"));
  EXPECT_EQ(json_of(result, {}).at("units").at(0).at("failures").at(0).at("runs_cut_off"), 7);
}

TEST(StressOutput, FilesSayTheSame) {
  const std::string folder = testing::TempDir();
  {
    StressOutput output(folder + "stress.json", folder + "stress.xml");
    output.add(failed());
    EXPECT_EQ(output.finish(2, {}, {}), cli::exit_fail);
  }
  std::ifstream file(folder + "stress.json");
  const auto json = nlohmann::json::parse(file);
  EXPECT_EQ(json.at("schema"), "pto2-stress/1");
  EXPECT_EQ(json.at("verdict"), "fail");
  EXPECT_EQ(json.at("units_wanted"), 2);
  const auto& unit = json.at("units").at(0);
  EXPECT_EQ(unit.at("last_seed"), 3);
  EXPECT_EQ(unit.at("fan_out"), "lock");
  EXPECT_EQ(unit.at("outcomes").at("passed"), 3);
  EXPECT_EQ(unit.at("failures").at(0).at("tries"), 200);
  EXPECT_EQ(unit.at("failures").at(0).at("token"), "simulate/t");
  std::stringstream xml;
  xml << std::ifstream(folder + "stress.xml").rdbuf();
  EXPECT_THAT(xml.str(), testing::HasSubstr("graphs/plain/packed"));
  EXPECT_THAT(xml.str(), testing::HasSubstr("pto2 stress X"));
}

TEST(StressOutput, JsonHasTheSeedsThatWereWanted) {
  StressOptions options;
  EXPECT_EQ(json_of(passed(), options).at("seeds_wanted"), nlohmann::json({{"first", 1}}));
  options.seeds = {17, 19};
  EXPECT_EQ(json_of(passed(), options).at("seeds_wanted"),
            nlohmann::json({{"first", 17}, {"last", 19}}));
}

TEST(StressOutput, JsonOfAScenarioHasNoFanOut) {
  UnitResult scenario = passed();
  scenario.fan_out.reset();
  EXPECT_FALSE(json_of(scenario, {}).at("units").at(0).contains("fan_out"));
}

TEST(StressOutput, JsonHasAllThatIsKnownOfAUnit) {
  UnitResult result = failed();
  result.failures.push_back(failure_of("later", "pto2 stress Y"));
  result.report.never_seen = {"heap_ring_deadlock"};
  StressOptions options;
  options.noise = {NoiseKind::delays};
  const nlohmann::json json = json_of(result, options);
  EXPECT_EQ(json.at("noise"), "delays");
  EXPECT_EQ(json.at("interrupted"), false);
  const nlohmann::json expected{{"name", "graphs/plain/packed"},
                                {"verdict", "fail"},
                                {"runs", 3},
                                {"tasks", 40},
                                {"wall_s", 2.0},
                                {"tasks_per_s", 20.0},
                                {"first_seed", 1},
                                {"last_seed", 3},
                                {"fan_out", "lock"},
                                {"outcomes", {{"passed", 3}}},
                                {"never_seen", {"heap_ring_deadlock"}},
                                {"failures",
                                 {{{"problem", "late"},
                                   {"command", "pto2 stress X"},
                                   {"seen", 3},
                                   {"tries", 200},
                                   {"runs_cut_off", 0},
                                   {"token", "simulate/t"},
                                   {"story", "a story\n"}},
                                  {{"problem", "later"},
                                   {"command", "pto2 stress Y"},
                                   {"seen", 0},
                                   {"tries", 0},
                                   {"runs_cut_off", 0}}}}};
  EXPECT_EQ(json.at("units"), nlohmann::json::array({expected}));
}

TEST(StressOutput, JsonOfAScenarioHasNoSeeds) {
  UnitResult scenario = passed();
  scenario.has_seeds = false;
  const nlohmann::json unit = json_of(scenario, {}).at("units").at(0);
  EXPECT_FALSE(unit.contains("first_seed"));
  EXPECT_FALSE(unit.contains("last_seed"));
}

TEST(StressOutput, JsonSaysWhatExitCodesSay) {
  EXPECT_EQ(json_of(passed(), {}).at("verdict"), "pass");
  UnitResult nothing = passed();
  nothing.runs = 0;
  EXPECT_EQ(json_of(nothing, {}).at("verdict"), "inconclusive");
}

/// Nobody has told how the runs ended that its process has counted.
TEST(StressOutput, JsonHasNoOutcomesOfAUnitThatToldNone) {
  UnitResult cut_short = passed();
  cut_short.report = {};
  EXPECT_EQ(json_of(cut_short, {}).at("units").at(0).at("outcomes"), nlohmann::json::object());
  cut_short.has_report = false;
  EXPECT_EQ(json_of(cut_short, {}).at("units").at(0).at("outcomes"), nullptr);
}

/// The JUnit file of these units.
std::string junit_of(std::vector<UnitResult> results,
                     std::optional<cli::ExitCode> interrupted = {}) {
  const std::string name = testing::TempDir() + "stress_units.xml";
  StressOutput output("", name);
  for (UnitResult& result : results) output.add(std::move(result));
  output.finish(results.size(), {}, interrupted);
  std::stringstream xml;
  xml << std::ifstream(name).rdbuf();
  return xml.str();
}

TEST(StressOutput, JunitHasEveryFailureAndWhatIsInconclusive) {
  UnitResult twice = failed();
  twice.failures.push_back(failure_of("later", "pto2 stress Y"));
  UnitResult nothing = passed();
  nothing.runs = 0;
  const std::string text = junit_of({twice, nothing});
  for (const char* part : {"wrong: late", "wrong: later", "time=\"2", "failures=\"1\"",
                           "skipped=\"1\"", "<skipped message=\"inconclusive\"/>"}) {
    EXPECT_THAT(text, testing::HasSubstr(part));
  }
}

TEST(StressOutput, JunitSaysThatThereWereToBeMore) {
  EXPECT_NE(junit_of({passed()}), junit_of({passed()}, cli::exit_interrupted));
}

/// What is not listed was not tried, whatever the verdict is.
TEST(StressOutput, JsonSaysThatARunWithAFailureWasInterrupted) {
  const std::string name = testing::TempDir() + "stress_interrupted.json";
  StressOutput output(name, "");
  output.add(failed());
  EXPECT_EQ(output.finish(2, {}, cli::exit_interrupted), cli::exit_fail);
  std::ifstream file(name);
  const auto json = nlohmann::json::parse(file);
  EXPECT_EQ(json.at("verdict"), "fail");
  EXPECT_EQ(json.at("interrupted"), true);
}

TEST(StressOutput, JsonSaysThatASignalCameBeforeAnythingWasWrong) {
  const std::string name = testing::TempDir() + "stress_terminated.json";
  StressOutput output(name, "");
  output.add(passed());
  EXPECT_EQ(output.finish(2, {}, cli::exit_terminated), cli::exit_terminated);
  std::ifstream file(name);
  EXPECT_EQ(nlohmann::json::parse(file).at("verdict"), "interrupted");
}

}  // namespace
}  // namespace pto2::stress
