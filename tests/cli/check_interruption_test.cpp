// What SIGINT and SIGTERM do to pto2 check and pto2 replay.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "tests/cli/program.hpp"

namespace pto2::test {
namespace {

namespace fs = std::filesystem;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

/// Far less than what is left to do in any of these tests, and enough for a busy machine.
constexpr double soon = 5;
/// Processor time after the line of one scenario, by which the next is under way.
constexpr double begun = 0.02;

nlohmann::json json_of(const std::string& path) {
  return nlohmann::json::parse(read_text(path), nullptr, false);
}

TEST(CheckInterruption, EndsADeepSearch) {
  const TemporaryFolder folder;
  RunningProgram program({"check", "--deep", "node_reuse", "--json", folder.path("check.json"),
                          "--junit", folder.path("check.xml")});
  ASSERT_TRUE(program.wait_for_text("task_life_cycle/node_reuse/word"));
  ASSERT_TRUE(program.wait_for_work(begun));
  const Outcome outcome = program.end_with(SIGINT);
  EXPECT_EQ(outcome.code, 130);
  EXPECT_LT(outcome.seconds, soon);
  EXPECT_THAT(outcome.err, HasSubstr("pto2: interrupted"));
  EXPECT_THAT(outcome.out, HasSubstr("\ninterrupted: what is not listed was not tried\n"));
  EXPECT_THAT(outcome.out, HasSubstr("\n1 hold, 0 do not, 1 inconclusive"));

  const auto result = json_of(folder.path("check.json"));
  EXPECT_EQ(result["interrupted"], true);
  ASSERT_EQ(result["harnesses"].size(), 2U);
  EXPECT_EQ(result["harnesses"][0]["verdict"], "pass");
  const auto& under_way = result["harnesses"][1];
  EXPECT_EQ(under_way["name"], "task_life_cycle/node_reuse_of_join/word");
  EXPECT_EQ(under_way["verdict"], "inconclusive");
  EXPECT_EQ(under_way["reason"], "it was stopped");
  EXPECT_EQ(under_way["complete"], false);

  const std::string junit = read_text(folder.path("check.xml"));
  EXPECT_THAT(junit, StartsWith("<?xml"));
  EXPECT_THAT(junit, HasSubstr("<property name=\"interrupted\" value=\"true\"/>"));
  EXPECT_THAT(junit, HasSubstr("tests=\"2\" failures=\"0\" skipped=\"1\""));
  EXPECT_THAT(junit, EndsWith("</testsuite>\n"));
}

TEST(CheckInterruption, EndsSeveralJobs) {
  RunningProgram program({"check", "--deep", "node_reuse", "--jobs", "2"});
  ASSERT_TRUE(program.wait_for_text("task_life_cycle/node_reuse/word"));
  ASSERT_TRUE(program.wait_for_work(begun));
  const Outcome outcome = program.end_with(SIGTERM);
  EXPECT_EQ(outcome.code, 143);
  EXPECT_LT(outcome.seconds, soon);
  EXPECT_THAT(outcome.err, HasSubstr("pto2: terminated"));
  EXPECT_THAT(outcome.out, HasSubstr("\ninconclusive task_life_cycle/node_reuse_of_join/word"));
  EXPECT_THAT(outcome.out, HasSubstr("\n1 hold, 0 do not, 1 inconclusive"));
}

TEST(CheckInterruption, TwoSignalsAtOnceAreOne) {
  RunningProgram program({"check", "--deep", "node_reuse"});
  ASSERT_TRUE(program.wait_for_text("task_life_cycle/node_reuse/word"));
  program.send(SIGINT);
  const Outcome outcome = program.end_with(SIGTERM);
  EXPECT_EQ(outcome.code, 130);
  // The second scenario need not have begun.
  EXPECT_THAT(outcome.out, testing::ContainsRegex("\n1 hold, 0 do not, [01] inconclusive"));
}

TEST(CheckInterruption, EndsWeakening) {
  const TemporaryFolder folder;
  RunningProgram program({"check", "--weaken", "--json", folder.path("check.json")});
  ASSERT_TRUE(program.wait_for_text("killed"));
  const Outcome outcome = program.end_with(SIGINT);
  EXPECT_EQ(outcome.code, 130);
  EXPECT_LT(outcome.seconds, soon);
  const auto result = json_of(folder.path("check.json"));
  EXPECT_EQ(result["interrupted"], true);
  ASSERT_FALSE(result["orders"].empty());
  for (std::size_t i = 0; i < result["orders"].size(); ++i) {
    const auto outcome_of = result["orders"][i]["outcome"];
    const bool under_way = i != 0 && i + 1 == result["orders"].size();
    EXPECT_TRUE(outcome_of == "killed" || (under_way && outcome_of == "inconclusive"));
  }
}

TEST(CheckInterruption, LeavesTheIndexAlone) {
  const TemporaryFolder folder;
  const std::string document =
      folder.file("index.md",
                  "<!-- generated: pto2 check --index docs/PROTOCOLS.md --update -->\nold\n"
                  "<!-- end of what is generated -->\n");
  const std::string before = read_text(document);
  RunningProgram program({"check", "--index", document, "--update"});
  // The signals are blocked before anything is explored.
  ASSERT_TRUE(program.wait_until([&] { return program.blocks(SIGINT); }));
  const Outcome outcome = program.end_with(SIGINT);
  EXPECT_EQ(outcome.code, 130);
  EXPECT_LT(outcome.seconds, soon);
  EXPECT_EQ(read_text(document), before);
}

/// A copy of the checker with mutants whose program is a script: one is killed at once, then one
/// takes long. The scenario holds without either.
class WithMutants {
 public:
  WithMutants() {
    fs::create_directories(folder_.path("bin"));
    fs::copy_file(fs::path(PTO2_PROGRAM).replace_filename("pto2-check"), program());
    fs::create_directories(folder_.path("mutants/build/bin"));
    folder_.file("mutants/build/bin/catalogue",
                 "found 1 quick checker toy/toy\nlong 2 long checker toy/toy\n");
    const std::string script = folder_.file("mutants/build/bin/pto2-check", R"(#!/bin/sh
      result='"name": "toy/toy", "wall_s": 0, "executions": 1, "blocked": 0'
      if [ -z "$PTO2_MUTANT" ]; then
        echo "{\"harnesses\": [{$result, \"verdict\": \"pass\"}]}"
      elif [ "$PTO2_MUTANT" = 1 ]; then
        echo "{\"harnesses\": [{$result, \"verdict\": \"fail\", \"replay\": \"token\",
          \"report\": {\"violation\": {\"kind\": \"data race\", \"message\": \"on it\"}}}]}"
      else
        echo $$ >"$0.new"; mv "$0.new" "$0.pid"; exec sleep 600
      fi)");
    fs::permissions(script, fs::perms::owner_all);
  }

  std::string program() const { return folder_.path("bin/pto2-check"); }
  std::string path(const std::string& name) const { return folder_.path(name); }
  /// The process of the long one, 0 as long as there is none.
  pid_t child() const {
    pid_t pid = 0;
    std::ifstream(folder_.path("mutants/build/bin/pto2-check.pid")) >> pid;
    return pid;
  }

 private:
  TemporaryFolder folder_;
};

/// Whether a process runs: neither gone nor waiting for somebody to take note of its end.
bool runs(pid_t pid) {
  std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
  std::string number, name, state;
  return (stat >> number >> name >> state) && state != "Z" && state != "X";
}

TEST(CheckInterruption, EndsMutants) {
  const WithMutants mutants;
  RunningProgram program({"check", "--mutants", "--json", mutants.path("check.json")},
                         mutants.program());
  ASSERT_TRUE(program.wait_until([&] { return mutants.child() != 0; }));
  ASSERT_TRUE(runs(mutants.child()));
  const Outcome outcome = program.end_with(SIGINT);
  EXPECT_EQ(outcome.code, 130);
  EXPECT_LT(outcome.seconds, soon);
  EXPECT_FALSE(runs(mutants.child()));
  const auto result = json_of(mutants.path("check.json"));
  EXPECT_EQ(result["interrupted"], true);
  ASSERT_EQ(result["mutants"].size(), 2U);
  EXPECT_EQ(result["mutants"][0]["outcome"], "killed");
  EXPECT_EQ(result["mutants"][1]["outcome"], "inconclusive");
  EXPECT_EQ(result["mutants"][1]["effect"], "it was stopped");
}

/// Here for the mutants.
TEST(Check, AMutantThatIsNotQuickIsNotMissing) {
  const WithMutants mutants;
  const auto refusal_of = [&](const std::string& name) {
    RunningProgram program({"check", "--mutants", "--quick", name}, mutants.program());
    const Outcome outcome = program.end_with(0);
    EXPECT_EQ(outcome.code, 2);
    return outcome.err;
  };
  EXPECT_THAT(refusal_of("long"), HasSubstr("no quick mutant's name contains long; leave out"));
  EXPECT_THAT(refusal_of("none"), HasSubstr("no mutant's name contains none; models/mutants"));
}

TEST(CheckInterruption, MutantsDoNotOutliveTheProgramHoweverItEnds) {
  const WithMutants mutants;
  RunningProgram program({"check", "--mutants"}, mutants.program());
  ASSERT_TRUE(program.wait_until([&] { return mutants.child() != 0; }));
  EXPECT_EQ(program.end_with(SIGKILL).code, 128 + SIGKILL);
  EXPECT_TRUE(eventually([&] { return !runs(mutants.child()); }));
}

TEST(CheckInterruption, TheSecondSignalEndsAtOnce) {
  const TemporaryFolder folder;
  // Nobody reads the pipe, so the program cannot get beyond opening it.
  ASSERT_EQ(mkfifo(folder.path("pipe").c_str(), 0600), 0);
  RunningProgram program(
      {"check", "fan_in", "--json", folder.path("check.json"), "--junit", folder.path("pipe")});
  ASSERT_TRUE(program.wait_until([&] { return program.blocks(SIGINT); }));
  program.send(SIGINT);
  ASSERT_TRUE(program.wait_for_text("pto2: interrupted; ending"));
  // A signal that comes at once counts as the same one, so this goes on until it does not.
  ASSERT_TRUE(eventually([&] {
    program.send(SIGTERM);
    return program.has_ended();
  }));
  EXPECT_EQ(program.end_with(SIGTERM).code, 143);
}

TEST(CheckInterruption, HasItsExitCodesInTheHelp) {
  EXPECT_THAT(pto2({"check", "--help"}).out, HasSubstr("130 interrupted, 143 terminated"));
}

}  // namespace
}  // namespace pto2::test
