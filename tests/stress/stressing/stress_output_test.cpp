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
  result.failures.push_back({"late", "pto2 stress X", 3, 200, "simulate/t", "a story\n"});
  return result;
}

/// The exit code, and the text on stdout.
std::pair<cli::ExitCode, std::string> told(std::vector<UnitResult> results,
                                           std::optional<cli::ExitCode> interrupted = {}) {
  testing::internal::CaptureStdout();
  StressOutput output("", "");
  const std::size_t units = results.size();
  for (UnitResult& result : results) output.add(std::move(result));
  const cli::ExitCode code = output.finish(units, {}, interrupted);
  return {code, testing::internal::GetCapturedStdout()};
}

TEST(StressOutput, ExitCodesSayHowItCameOut) {
  EXPECT_EQ(told({passed()}).first, cli::exit_pass);
  EXPECT_EQ(told({passed(), failed()}).first, cli::exit_fail);
  EXPECT_EQ(told({}).first, cli::exit_inconclusive);
  UnitResult nothing = passed();
  nothing.runs = 0;
  EXPECT_EQ(told({passed(), nothing}).first, cli::exit_inconclusive);
  EXPECT_EQ(told({nothing, passed()}).first, cli::exit_inconclusive);
  UnitResult one_sided = passed();
  one_sided.report.never_seen = {"out of heap"};
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

TEST(StressOutput, AFailureIsToldWithItsCommandItsCountAndItsSimulation) {
  const std::string text = told({failed()}).second;
  for (const char* part :
       {"fail  ", "graphs/plain/packed", "3 runs", "40 tasks", "20/s", "seeds 1..3",
        "wrong: late\n", "repeat: pto2 stress X\n", "seen 3 times in 200 tries with this command\n",
        "a story\n", "repeat: pto2 replay simulate/t\n", "1 of 1 units, 1 wrong"}) {
    EXPECT_THAT(text, testing::HasSubstr(part));
  }
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

/// The JSON of a unit that passed.
nlohmann::json json_of(const UnitResult& result, const StressOptions& options) {
  const std::string name = testing::TempDir() + "stress_passed.json";
  StressOutput output(name, "");
  output.add(result);
  output.finish(1, options, {});
  std::ifstream file(name);
  return nlohmann::json::parse(file);
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

}  // namespace
}  // namespace pto2::stress
