/// What `pto2 check` writes and ends with, on made-up results.
#include "models/pto2_check/check_output.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

namespace pto2::scenarios {
namespace {

namespace fs = std::filesystem;
using cli::ExitCode;
using model::Report;
using model::Verdict;
using testing::HasSubstr;
using testing::Not;

Report some_report(Verdict verdict, const std::string& reason = "") {
  Report report;
  report.name = "piece/scenario";
  report.verdict = verdict;
  report.complete = verdict != Verdict::inconclusive;
  report.executions = 2;
  report.reason = reason;
  return report;
}

WeakeningResult some_weakening(MutantStatus status) {
  WeakeningResult result;
  result.site = "piece.operation";
  result.place = "everywhere";
  result.from = "acquire";
  result.to = "relaxed";
  result.status = status;
  return result;
}

MutantResult some_mutant(MutantStatus status, const std::string& effect) {
  MutantResult result;
  result.mutant.name = "lost-ring";
  result.mutant.kind = "unit";
  result.mutant.witness = "some_test";
  result.status = status;
  result.effect = effect;
  return result;
}

class CheckOutputTest : public testing::Test {
 protected:
  CheckOutputTest() {
    std::string name = (fs::temp_directory_path() / "check_output.XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  ~CheckOutputTest() override { fs::remove_all(folder_); }

  [[nodiscard]] std::string path(const std::string& name) const {
    return (folder_ / name).string();
  }
  [[nodiscard]] std::string text(const std::string& name) const {
    std::ifstream file(folder_ / name);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }
  [[nodiscard]] std::string junit() const { return text("junit"); }
  [[nodiscard]] nlohmann::json json() const { return nlohmann::json::parse(text("json")); }

  /// What an output ends with that was given these results.
  template <class... Results>
  ExitCode exit_code(const Results&... results) {
    CheckOutput output(path("json"), path("junit"));
    (output.add(results), ...);
    return output.finish({});
  }

  /// Why the outputs are refused as a mistake of use; "" if they are not.
  static std::string refusal(const std::string& json_name, const std::string& junit_name) {
    try {
      const CheckOutput output(json_name, junit_name);
    } catch (const cli::CliError& error) {
      EXPECT_EQ(error.code(), cli::exit_usage);
      return error.what();
    }
    return {};
  }

  fs::path folder_;
};

TEST_F(CheckOutputTest, WhatHoldsPasses) {
  EXPECT_EQ(exit_code(some_report(Verdict::pass)), cli::exit_pass);
  EXPECT_THAT(junit(), HasSubstr("tests=\"1\" failures=\"0\" skipped=\"0\""));
  EXPECT_THAT(junit(), HasSubstr("<testcase name=\"piece/scenario\""));
  EXPECT_THAT(junit(), Not(HasSubstr("<failure")));
  EXPECT_EQ(json().at("harnesses").at(0).at("verdict").get<std::string>(), "pass");
}

/// As with another number of executions than is checked in.
TEST_F(CheckOutputTest, AFailureWithoutAViolationFails) {
  EXPECT_EQ(exit_code(some_report(Verdict::fail, "expected 3 executions")), cli::exit_fail);
  EXPECT_THAT(junit(), HasSubstr("tests=\"1\" failures=\"1\" skipped=\"0\""));
  EXPECT_THAT(junit(), HasSubstr("<failure message=\"expected 3 executions\"/>"));
  EXPECT_EQ(json().at("harnesses").at(0).at("reason").get<std::string>(), "expected 3 executions");
}

Report report_of(model::ViolationKind kind, const std::string& token) {
  Report report = some_report(Verdict::fail);
  report.violation.emplace();
  report.violation->kind = kind;
  report.violation->token = token;
  return report;
}

/// An execution that can be replayed is none of all those that do not show a case.
TEST_F(CheckOutputTest, OnlyAnExecutionIsToBeReplayed) {
  const auto told = [&](const Report& report) {
    testing::internal::CaptureStdout();
    EXPECT_EQ(exit_code(report), cli::exit_fail);
    return testing::internal::GetCapturedStdout();
  };
  EXPECT_THAT(told(report_of(model::ViolationKind::data_race, "pto2.2:0:1:")),
              HasSubstr("replay with: pto2 replay 'check/piece/scenario@pto2.2:0:1:'\n"));
  EXPECT_EQ(json().at("harnesses").at(0).at("replay"), "check/piece/scenario@pto2.2:0:1:");
  EXPECT_THAT(told(report_of(model::ViolationKind::unreached, "")),
              AllOf(HasSubstr("piece/scenario: unreached"), Not(HasSubstr("replay"))));
  EXPECT_FALSE(json().at("harnesses").at(0).contains("replay"));
}

TEST_F(CheckOutputTest, OneFailureAmongOthersFails) {
  EXPECT_EQ(exit_code(some_report(Verdict::pass), some_report(Verdict::fail, "expected 3"),
                      some_report(Verdict::inconclusive, "a bound was hit")),
            cli::exit_fail);
  EXPECT_THAT(junit(), HasSubstr("tests=\"3\" failures=\"1\" skipped=\"1\""));
}

TEST_F(CheckOutputTest, AWeakeningThatSurvivesFails) {
  EXPECT_EQ(exit_code(some_weakening(MutantStatus::survived)), cli::exit_fail);
  EXPECT_THAT(junit(), HasSubstr("failures=\"1\""));
  EXPECT_THAT(junit(), HasSubstr("<testcase name=\"piece.operation everywhere=relaxed\""));
  EXPECT_THAT(junit(), HasSubstr("<failure message=\"no scenario needs the stronger order\"/>"));
  EXPECT_EQ(exit_code(some_weakening(MutantStatus::killed)), cli::exit_pass);
  EXPECT_THAT(junit(), HasSubstr("failures=\"0\""));
}

TEST_F(CheckOutputTest, WhyAWeakeningSurvivesIsTold) {
  WeakeningResult result = some_weakening(MutantStatus::survived);
  result.effect = "piece/scenario fails without the weakening, too";
  EXPECT_EQ(exit_code(result), cli::exit_fail);
  EXPECT_THAT(junit(), HasSubstr("<failure message=\"piece/scenario fails without the weakening"));
}

TEST_F(CheckOutputTest, AMutantThatSurvivesFails) {
  EXPECT_EQ(exit_code(some_mutant(MutantStatus::survived, "the witness passes")), cli::exit_fail);
  EXPECT_THAT(junit(), HasSubstr("failures=\"1\""));
  EXPECT_THAT(junit(), HasSubstr("<testcase name=\"lost-ring\""));
  EXPECT_THAT(junit(), HasSubstr("<failure message=\"the witness passes\"/>"));
  EXPECT_EQ(exit_code(some_mutant(MutantStatus::killed, "wrong result")), cli::exit_pass);
  EXPECT_THAT(junit(), HasSubstr("failures=\"0\""));
}

TEST_F(CheckOutputTest, ABoundThatWasHitIsInconclusive) {
  EXPECT_EQ(
      exit_code(some_report(Verdict::pass), some_report(Verdict::inconclusive, "the time was up")),
      cli::exit_inconclusive);
  EXPECT_THAT(junit(), HasSubstr("tests=\"2\" failures=\"0\" skipped=\"1\""));
  EXPECT_THAT(junit(), HasSubstr("<skipped message=\"inconclusive\"/>"));
  EXPECT_EQ(exit_code(some_mutant(MutantStatus::inconclusive, "the time was up")),
            cli::exit_inconclusive);
  EXPECT_EQ(exit_code(some_weakening(MutantStatus::inconclusive)), cli::exit_inconclusive);
}

TEST_F(CheckOutputTest, NothingIsInconclusive) {
  EXPECT_EQ(exit_code(), cli::exit_inconclusive);
}

TEST_F(CheckOutputTest, AnInterruptionIsSaid) {
  CheckOutput output(path("json"), path("junit"));
  output.add(some_report(Verdict::inconclusive, "it was stopped"));
  EXPECT_EQ(output.finish(cli::exit_interrupted), cli::exit_interrupted);
  EXPECT_TRUE(json().at("interrupted").get<bool>());
  EXPECT_THAT(junit(), HasSubstr("<property name=\"interrupted\" value=\"true\"/>"));
}

TEST_F(CheckOutputTest, AFailureBeforeAnInterruptionCountsMore) {
  CheckOutput output(path("json"), path("junit"));
  output.add(some_report(Verdict::fail, "expected 3"));
  EXPECT_EQ(output.finish(cli::exit_terminated), cli::exit_fail);
  EXPECT_TRUE(json().at("interrupted").get<bool>());
}

TEST_F(CheckOutputTest, JUnitIsEscaped) {
  const std::string reason = "1 < 2 & \"two\"\nlines\tand\x01";
  EXPECT_EQ(exit_code(some_report(Verdict::fail, reason)), cli::exit_fail);
  EXPECT_THAT(
      junit(),
      HasSubstr("<failure message=\"1 &lt; 2 &amp; &quot;two&quot;&#10;lines?and?\"/></testcase>"));
  EXPECT_EQ(json().at("harnesses").at(0).at("reason").get<std::string>(), reason);
}

TEST_F(CheckOutputTest, TextThatIsNoUtf8IsWritten) {
  EXPECT_EQ(exit_code(some_mutant(MutantStatus::killed, "ended with \xff")), cli::exit_pass);
  EXPECT_EQ(json().at("mutants").at(0).at("effect").get<std::string>(), "ended with \xef\xbf\xbd");
}

TEST_F(CheckOutputTest, OneFileForBothIsRefused) {
  std::ofstream(folder_ / "a") << "earlier";
  fs::create_directory_symlink(folder_, folder_ / "link");
  for (const char* other : {"a", "./a", "link/a"}) {
    EXPECT_THAT(refusal(path("a"), path(other)), HasSubstr("name the same file")) << other;
    EXPECT_THAT(refusal(path(other), path("a")), HasSubstr("name the same file")) << other;
  }
  EXPECT_EQ(text("a"), "earlier");
  // Files that are not there yet.
  EXPECT_THAT(refusal(path("b"), path("./b")), HasSubstr("name the same file"));
  EXPECT_FALSE(fs::exists(folder_ / "b"));
  EXPECT_EQ(refusal(path("b"), path("c")), "");
}

TEST_F(CheckOutputTest, OneFileForBothIsRefusedByRelativeNames) {
  const fs::path before = fs::current_path();
  fs::current_path(folder_);
  EXPECT_THAT(refusal("a", "./a"), HasSubstr("name the same file"));
  EXPECT_THAT(refusal("a", path("a")), HasSubstr("name the same file"));
  EXPECT_FALSE(fs::exists("a"));
  EXPECT_EQ(refusal("-", "./-"), "") << "one is stdout, the other a file";
  fs::current_path(before);
}

TEST_F(CheckOutputTest, StdoutForBothIsRefused) {
  EXPECT_THAT(refusal("-", "-"), HasSubstr("cannot both be stdout"));
  EXPECT_EQ(refusal("", ""), "");
}

}  // namespace
}  // namespace pto2::scenarios
