// pto2 simulate, and pto2 replay of its tokens.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <regex>
#include <set>

#include "tests/cli/program.hpp"

namespace pto2::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

TEST(Simulate, RunsSeedsOfAWorkload) {
  const Outcome outcome = pto2({"simulate", "paged_attention", "--case", "Case3", "--stub-kernels",
                                "--seeds", "1..128", "--jobs", "2", "--json", "-"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const auto result = outcome.json();
  EXPECT_EQ(result["schema"], "pto2-simulate/1");
  EXPECT_EQ(result["verdict"], "pass");
  EXPECT_EQ(result["strategy"], "sc");
  EXPECT_EQ(result["runs"], 128);
  EXPECT_EQ(result["repeated"], 2);
  EXPECT_EQ(result["wrong_runs"], 0);
  uint64_t runs = 0;
  for (const auto& [name, count] : result["outcomes"].items()) runs += count.get<uint64_t>();
  EXPECT_EQ(runs, 128U);
  EXPECT_GT(result["outcomes"]["passed"], 40);
  EXPECT_GT(result["outcomes"]["flow_control_deadlock"], 5);
}

TEST(Simulate, RunsEachCaseOfADeadlockIntoIt) {
  const Outcome outcome = pto2({"simulate", "deadlock", "--case", "heap", "--seeds", "3..12",
                                "--strategy", "random", "--json", "-"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.json()["outcomes"]["heap_ring_deadlock"], 10);
}

/// A memory order that is too weak is found, made smaller, and found again by the token.
TEST(Simulate, FindsAWeakOrderAndRepeatsIt) {
  const TemporaryFolder folder;
  const std::vector<std::string> workload{"bgemm", "--stub-kernels"}, graphs{"--random-graphs"};
  for (const char* strategy : {"random", "pct", "bursts"}) {
    for (const std::vector<std::string>& what : {workload, graphs}) {
      // A graph is made smaller in some hundred runs.
      if (what == graphs && strategy != std::string("pct")) continue;
      std::vector<std::string> arguments{"simulate",
                                         "--strategy",
                                         strategy,
                                         "--seeds",
                                         "1..50",
                                         "--weaken",
                                         "core_mailbox.dispatch",
                                         "--json",
                                         folder.path("result"),
                                         "--junit",
                                         folder.path("junit")};
      arguments.insert(arguments.begin() + 1, what.begin(), what.end());
      const Outcome outcome = pto2(arguments);
      EXPECT_EQ(outcome.code, 1) << outcome.err;
      EXPECT_THAT(outcome.out, HasSubstr("data race: it reads a"));
      EXPECT_THAT(outcome.out, HasSubstr("made smaller:\n"));
      const auto result = nlohmann::json::parse(read_text(folder.path("result")));
      EXPECT_EQ(result["verdict"], "fail");
      const std::string token = result["wrong"][0]["token"];
      EXPECT_THAT(outcome.out, HasSubstr("pto2 replay " + token));
      EXPECT_THAT(read_text(folder.path("junit")), HasSubstr("<failure message=\"seed "));
      const Outcome again = pto2({"replay", token});
      EXPECT_EQ(again.code, 1) << token << again.err;
      EXPECT_EQ(again.out,
                result["wrong"][0]["story"].get<std::string>() + "wrong: 0 tasks, 0 points\n");
    }
  }
}

TEST(Simulate, ReplaysARightRunAndWritesItsTrace) {
  const TemporaryFolder folder;
  const Outcome outcome =
      pto2({"replay", "simulate/graphs:clustered@bursts:7", "--trace", folder.path("trace")});
  EXPECT_EQ(outcome.code, 0) << outcome.out;
  EXPECT_THAT(outcome.out, testing::ContainsRegex("[0-9]+ tasks, [0-9]+ points"));
  EXPECT_EQ(pto2({"validate", folder.path("trace")}).code, 0);
}

/// The same seeds without faults say nothing of them.
TEST(Simulate, AReplayTellsWhichFaultWasDrawnAndWhetherTheRunCameToIt) {
  std::set<std::string> told;
  for (int seed = 1; seed <= 24; ++seed) {
    const std::string at = "@sc:" + std::to_string(seed);
    const Outcome outcome = pto2({"replay", "simulate/graphs:plain:faults=all" + at});
    EXPECT_EQ(outcome.code, 0) << outcome.out;
    std::smatch match;
    ASSERT_TRUE(std::regex_match(
        outcome.out, match,
        std::regex("fault: (none was drawn|[a-z_]+ of [a-z]+[0-9]+, at its task [0-9]+)\n"
                   "(the run (came|did not come) to the fault\n)?[^\n]* points\n")))
        << outcome.out;
    const bool none = match[1] == "none was drawn";
    EXPECT_EQ(none, match[3] == "") << outcome.out;
    if (outcome.out.find("core_lost") != std::string::npos) {
      EXPECT_EQ(match[3], "came");
    }
    told.insert(none ? "none" : match[3].str());
    EXPECT_THAT(pto2({"replay", "simulate/graphs:plain" + at}).out,
                testing::Not(HasSubstr("fault")));
  }
  EXPECT_THAT(told, testing::ElementsAre("came", "did not come", "none"));
}

TEST(Simulate, WritesTheTraceOfAReplayWhereverItIsWanted) {
  const TemporaryFolder folder;
  const std::string token = "simulate/graphs:plain@sc:3";
  const Outcome to_stdout = run_program(
      "/usr/bin/env", {"-C", folder.path(), PTO2_PROGRAM, "replay", "--trace", "-", token});
  EXPECT_EQ(to_stdout.code, 0) << to_stdout.err;
  EXPECT_THAT(to_stdout.out, testing::StartsWith("{\"schema\":\"pto2-trace/"));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  EXPECT_EQ(pto2({"replay", token, "--trace", folder.path("trace")}).code, 0);
  EXPECT_EQ(read_text(folder.path("trace")), to_stdout.out);
  for (const char* file : {"/dev/full", "/nonexistent/trace"}) {
    const Outcome outcome = pto2({"replay", token, "--trace", file});
    EXPECT_EQ(outcome.code, 3) << file;
    EXPECT_THAT(outcome.err, HasSubstr(file));
    // A disk is full after the run, whose result is told.
    EXPECT_EQ(outcome.out.empty(), file == std::string("/nonexistent/trace"));
  }
  EXPECT_EQ(pto2({"replay", token, "--trace", ""}).code, 2);
}

TEST(Simulate, OfWhatIsGivenUpThereIsNoTrace) {
  const TemporaryFolder folder;
  const std::string trace = folder.file("trace", "earlier");
  const Outcome outcome = pto2(
      {"replay", "simulate/bgemm:Case1:stub+core_mailbox.dispatch@random:1", "--trace", trace});
  EXPECT_EQ(outcome.code, 1) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("data race"));
  EXPECT_EQ(outcome.err, "pto2: there is no trace of a run that did not come to its end\n");
  EXPECT_FALSE(fs::exists(trace));
}

/// The images of the workloads, but that vector_example adds with another kernel.
std::string images_with(const std::string& kernel, const TemporaryFolder& folder) {
  const std::string workloads = folder.path("workloads");
  fs::copy(images(), workloads, fs::copy_options::recursive);
  fs::copy_file(std::string(TEST_IMAGES) + "/" + kernel,
                workloads + "/vector_example/kernels/0_add.so",
                fs::copy_options::overwrite_existing);
  return workloads;
}

TEST(Simulate, AReplayHasTheDeadlineThatItIsGiven) {
  const std::string token = "simulate/graphs:plain@sc:3";
  EXPECT_EQ(pto2({"replay", "--deadline", "5", token}).code, 0);
  EXPECT_EQ(pto2({"replay", token, "--deadline", "1000001"}).code, 2);

  const TemporaryFolder folder;
  const Outcome stuck =
      pto2_within(30, {"replay", "simulate/vector_example:Case1@sc:1", "--deadline", "1"},
                  {"PTO2_WORKLOADS=" + images_with("endless_kernel.so", folder)});
  EXPECT_EQ(stuck.code, 1);
  EXPECT_THAT(stuck.out + stuck.err, HasSubstr("has not returned for 1 s"));
}

TEST(Simulate, AKernelThatEndsTheProgramHasAnExitCodeOfItsOwn) {
  const TemporaryFolder folder;
  const Outcome outcome = pto2({"simulate", "vector_example", "--seeds", "4..9"},
                               {"PTO2_WORKLOADS=" + images_with("exit_kernel.so", folder)});
  EXPECT_EQ(outcome.code, 5);
  EXPECT_THAT(outcome.err, HasSubstr("called exit()"));
  EXPECT_THAT(outcome.err,
              testing::EndsWith("repeat: pto2 replay simulate/vector_example:Case1@sc:4\n"));
  for (const char* command : {"simulate", "replay"}) {
    EXPECT_THAT(pto2({command, "--help"}).out, HasSubstr("5 a kernel or an orchestration ended"));
  }
}

/// It has the signals of a crash.
TEST(Simulate, ACrashThatASanitizerReportsHasItsToken) {
  if (!address_space_is_ours) GTEST_SKIP() << "another sanitizer is there";
  const std::string library =
      run_program("/bin/sh", {"-c", "printf %s \"$(g++ -print-file-name=libasan.so)\""}).out;
  if (!fs::path(library).is_absolute()) GTEST_SKIP() << "the compiler has no AddressSanitizer";
  const TemporaryFolder folder;
  const Outcome outcome =
      pto2({"simulate", "vector_example", "--seeds", "4..9"},
           {"PTO2_WORKLOADS=" + images_with("crash_kernel.so", folder), "LD_PRELOAD=" + library});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("ERROR: AddressSanitizer: SEGV"));
  EXPECT_THAT(outcome.err,
              testing::EndsWith("\nrepeat: pto2 replay simulate/vector_example:Case1@sc:4\n"));
}

TEST(Simulate, HelpOfReplayIsAboutEveryToken) {
  const std::vector<std::vector<std::string>> calls = {
      {"replay", "--help"}, {"replay", "simulate/graphs:plain@sc:3", "--help"}};
  for (const std::vector<std::string>& call : calls) {
    const Outcome outcome = pto2(call);
    EXPECT_EQ(outcome.code, 0);
    for (const char* text :
         {"check/SCENARIO[+ORDER=WEAKER]@pto2.2:", "simulate/WORKLOAD:CASE[:stub][",
          "simulate/graphs:KIND[:mistaken][", "--trace"}) {
      EXPECT_THAT(outcome.out, HasSubstr(text));
    }
  }
}

TEST(Simulate, TooLittleMemoryIsNoBug) {
  if (!address_space_is_ours) GTEST_SKIP() << "a sanitizer needs more than a limit would leave";
  const Outcome outcome = run_program(
      "/bin/sh", {"-c", "ulimit -v 400000; exec \"$0\" simulate bgemm --jobs 64", PTO2_PROGRAM});
  EXPECT_EQ(outcome.code, 3) << outcome.out;
  EXPECT_THAT(outcome.err, HasSubstr("; use fewer --jobs"));
}

/// Of the first seed the run is wrong, and takes no memory.
void expect_wrong_seed_without_memory(const std::string& kernel, const std::string& seeds) {
  if (!address_space_is_ours) GTEST_SKIP() << "a sanitizer needs more than a limit would leave";
  const TemporaryFolder folder;
  const std::string command =
      "ulimit -v 1000000; WRONG_CALLS=2 PTO2_WORKLOADS=" + images_with(kernel, folder) +
      " exec \"$0\" simulate vector_example --json " + folder.path("json") + " --seeds " + seeds;
  const Outcome outcome = run_program("/bin/sh", {"-c", command, PTO2_PROGRAM});
  EXPECT_EQ(outcome.code, 1) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("pto2: out of memory; use fewer --jobs, or a smaller case\n"));
  EXPECT_THAT(outcome.out, HasSubstr("repeat: pto2 replay simulate/vector_example:Case1@sc:4\n"));
  EXPECT_THAT(outcome.out, testing::Not(HasSubstr("made smaller:")));
  const auto result = nlohmann::json::parse(read_text(folder.path("json")));
  EXPECT_EQ(result["verdict"], "fail");
  EXPECT_EQ(result["wrong_runs"], 1) << "one that lacks memory is none";
  EXPECT_EQ(result["wrong"][0]["token"], "simulate/vector_example:Case1@sc:4");
  EXPECT_LT(result["runs"], 5) << "nothing is begun without memory";
}

TEST(Simulate, WhatWasWrongBeforeMemoryEndedIsTold) {
  expect_wrong_seed_without_memory("lacks_memory.so", "4..90");
  expect_wrong_seed_without_memory("asks_too_much.so", "4..90");
}

TEST(Simulate, WhatCannotBeMadeSmallerForWantOfMemoryIsTold) {
  expect_wrong_seed_without_memory("lacks_memory.so", "4..4");
  expect_wrong_seed_without_memory("asks_too_much.so", "4..4");
}

TEST(Simulate, WhatWasWrongIsToldIfASmallerRunEndsTheProgram) {
  const TemporaryFolder folder;
  const Outcome outcome =
      pto2({"simulate", "vector_example", "--seeds", "4..4"},
           {"PTO2_WORKLOADS=" + images_with("wrong_first.so", folder), "THEN=crash"});
  EXPECT_EQ(outcome.code, 5) << outcome.out;
  EXPECT_THAT(outcome.err, HasSubstr("making it smaller\n"));
  EXPECT_THAT(outcome.err,
              testing::EndsWith("wrong: a run that ended before\n"
                                "repeat: pto2 replay simulate/vector_example:Case1@sc:4\n"));
}

TEST(Simulate, ASeedThatIsRightWhenItRunsAgainIsNotMadeSmaller) {
  const TemporaryFolder folder;
  const Outcome outcome =
      pto2({"simulate", "vector_example", "--seeds", "4..4"},
           {"PTO2_WORKLOADS=" + images_with("wrong_first.so", folder), "THEN=add"});
  EXPECT_EQ(outcome.code, 1) << outcome.out;
  EXPECT_THAT(outcome.err,
              HasSubstr("what seed 4 was made smaller to is right when it runs again"));
  EXPECT_THAT(outcome.out, testing::Not(HasSubstr("made smaller:")));
  EXPECT_THAT(outcome.out, HasSubstr("repeat: pto2 replay simulate/vector_example:Case1@sc:4\n"));
}

/// The first run of a process is right, and no other one.
TEST(Simulate, ASeedWhoseSecondRunDiffersIsRepeatedByItsToken) {
  const TemporaryFolder folder;
  const Strings workloads{"PTO2_WORKLOADS=" + images_with("add_twice.so", folder)};
  const char* const differs = "the second run of the seed differed from the first\n";
  const Outcome outcome = pto2({"simulate", "vector_example", "--seeds", "64"}, workloads);
  EXPECT_EQ(outcome.code, 1) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr(differs));
  const std::string token = "simulate/vector_example:Case1@sc:64";
  EXPECT_THAT(outcome.out, HasSubstr("repeat: pto2 replay " + token + "\n"));
  const Outcome again = pto2({"replay", token}, workloads);
  EXPECT_EQ(again.code, 1) << again.out;
  EXPECT_THAT(again.out, HasSubstr(differs));
  EXPECT_THAT(again.out, HasSubstr("\nwrong: 5 tasks, "));
}

/// Of a seed that runs twice it is the first run's.
TEST(Simulate, AReplayWritesTheTraceOfOneRun) {
  const Outcome outcome = pto2({"replay", "simulate/graphs:plain@sc:64", "--trace", "-"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const std::size_t header = outcome.out.find("{\"schema\":\"pto2-trace/");
  EXPECT_EQ(header, 0U);
  EXPECT_EQ(outcome.out.find("{\"schema\"", header + 1), std::string::npos);
}

TEST(Simulate, AnInterruptionEndsTheMakingSmaller) {
  const TemporaryFolder folder;
  RunningProgram program(
      {"PTO2_WORKLOADS=" + images_with("wrong_first.so", folder), PTO2_PROGRAM, "simulate",
       "vector_example", "--seeds", "4..4", "--json", folder.path("json")},
      "/usr/bin/env");
  ASSERT_TRUE(program.wait_for_text("making it smaller"));
  const Outcome outcome = program.end_with(SIGINT);
  EXPECT_EQ(outcome.code, 1) << outcome.err;
  EXPECT_THAT(outcome.out,
              testing::StartsWith("interrupted: the first wrong seed may be larger than it need be"
                                  "\nwrong: seed 4: "));
  // As large as it was drawn; it would have ended at 5-1-1.
  const char* const token = "simulate/vector_example:Case1@sc:4:5-6-2\n";
  EXPECT_THAT(outcome.out, HasSubstr(std::string("repeat: pto2 replay ") + token));
  EXPECT_EQ(nlohmann::json::parse(read_text(folder.path("json")))["interrupted"], false);
}

TEST(Simulate, ARunThatLacksMemoryIsNotWrong) {
  if (!address_space_is_ours) GTEST_SKIP() << "a sanitizer ends what asks for too much";
  const TemporaryFolder folder;
  const Strings workloads{"PTO2_WORKLOADS=" + images_with("asks_too_much.so", folder)};
  for (const Strings& arguments : {Strings{"simulate", "vector_example", "--seeds", "4..90"},
                                   Strings{"replay", "simulate/vector_example:Case1@sc:4"},
                                   Strings{"replay", "simulate/vector_example:Case1@sc:4:5-1-1"}}) {
    const Outcome outcome = pto2(arguments, workloads);
    EXPECT_EQ(outcome.code, 3) << outcome.out;
    EXPECT_THAT(outcome.err, HasSubstr("pto2: out of memory; use fewer --jobs"));
    EXPECT_EQ(outcome.out, "");
  }
}

TEST(Simulate, WhatWasWrongIsToldWhereMemoryEndsAndNothingMayBeThrown) {
  if (!address_space_is_ours) GTEST_SKIP() << "a sanitizer ends what asks for too much";
  const TemporaryFolder folder;
  const Outcome outcome = pto2({"simulate", "vector_example", "--seeds", "4..90"},
                               {"PTO2_WORKLOADS=" + images_with("asks_too_much.so", folder),
                                "WRONG_CALLS=2", "MAY_NOT_THROW=1"});
  EXPECT_EQ(outcome.code, 3) << outcome.out;
  EXPECT_THAT(outcome.err,
              testing::EndsWith("repeat: pto2 replay simulate/vector_example:Case1@sc:5\n"
                                "wrong: a run that ended before\n"
                                "repeat: pto2 replay simulate/vector_example:Case1@sc:4\n"
                                "pto2: out of memory; use fewer --jobs, or a smaller case\n"));
}

/// If the process ends now, nobody takes the results of an earlier one for its own.
TEST(Simulate, RemovesEarlierResultsWhenItBegins) {
  const TemporaryFolder folder;
  const std::string json = folder.file("json", "earlier");
  const std::string junit = folder.file("junit", "earlier");
  const auto simulate = [&](const Strings& what) {
    Strings arguments{"simulate", "--random-graphs", "--json", json, "--junit", junit};
    arguments.insert(arguments.end(), what.begin(), what.end());
    return arguments;
  };
  EXPECT_EQ(pto2(simulate({"--faults", "kept_group"})).code, 2);
  EXPECT_EQ(read_text(json), "earlier") << "nothing has begun";
  const RunningProgram program(simulate({"--seeds", "0..100000000"}));
  EXPECT_TRUE(program.wait_until([&] { return !fs::exists(json) && !fs::exists(junit); }));
}

/// The weakening is found to have no effect when the run has ended.
TEST(Simulate, AReplayLeavesNoEarlierTrace) {
  const TemporaryFolder folder;
  const std::string trace = folder.file("trace", "earlier");
  const auto replay = [&](const std::string& token) {
    return pto2({"replay", "simulate/" + token, "--trace", trace}).code;
  };
  EXPECT_EQ(replay("no_such_workload:Case1@sc:7"), 3);
  EXPECT_EQ(read_text(trace), "earlier") << "nothing has begun";
  EXPECT_EQ(replay("vector_example:Case1+no_such_order=relaxed@random:7"), 3);
  EXPECT_FALSE(fs::exists(trace));
}

TEST(Simulate, LastSeedMayBeTheLargestNumber) {
  const Outcome outcome = pto2({"simulate", "--random-graphs", "--seeds",
                                "18446744073709551614..18446744073709551615", "--json", "-"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.json()["runs"], 2);
}

}  // namespace
}  // namespace pto2::test
