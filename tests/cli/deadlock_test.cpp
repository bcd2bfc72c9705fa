// The workload of deadlocks, and pto2 run --expect and --all.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <regex>

#include "tests/cli/program.hpp"

namespace pto2::test {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

Strings with(Strings arguments, const Strings& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

/// The listing of a workload.
nlohmann::json listed(const std::string& name) {
  const nlohmann::json list = pto2({"list", "--json"}).json();
  for (const auto& workload : list["workloads"]) {
    if (workload["name"] == name) return workload;
  }
  return {};
}

struct Reproduction {
  const char* name;
  const char* fault;
  const char* flag;
  uint64_t failing;
  uint64_t fitting;
};

class Deadlocks : public testing::TestWithParam<Reproduction> {};

TEST_P(Deadlocks, EndsInItsFaultOnEveryExecutor) {
  const auto& [name, fault, flag, failing, fitting] = GetParam();
  for (const char* executor : {"packed", "threads", "seeded"}) {
    const Outcome outcome =
        pto2({"run", "deadlock", "--case", name, "--executor", executor, "--json", "-"});
    EXPECT_EQ(outcome.code, 5) << executor;
    // By its state, not by the deadline of kernels, which is a minute.
    EXPECT_LT(outcome.seconds, 30) << executor;
    const auto json = outcome.json();
    EXPECT_EQ(json["error"]["code"], fault) << executor;
    EXPECT_EQ(json["outcome"], fault) << executor;
    EXPECT_THAT(outcome.err, AllOf(HasSubstr("FATAL: "), HasSubstr("Wait-for cycle:"))) << executor;
  }
}

TEST_P(Deadlocks, EndsInItsFaultUnderEverySchedule) {
  const auto& [name, fault, flag, failing, fitting] = GetParam();
  for (int seed = 1; seed <= 5; ++seed) {
    const Strings seeded = {"--executor", "seeded", "--seed", std::to_string(seed), "--quiet"};
    const std::string twin = std::string(name) + "_fits";
    EXPECT_EQ(pto2(with({"run", "deadlock", "--case", name, "--expect", fault}, seeded)).code, 0)
        << seed;
    EXPECT_EQ(pto2(with({"run", "deadlock", "--case", twin, "--expect", "pass"}, seeded)).code, 0)
        << seed;
  }
}

TEST_P(Deadlocks, TwinPassesOnEveryExecutor) {
  for (const char* executor : {"packed", "threads", "seeded"}) {
    const Outcome outcome =
        pto2({"run", "deadlock", "--case", std::string(GetParam().name) + "_fits", "--executor",
              executor, "--json", "-"});
    EXPECT_EQ(outcome.code, 0) << executor << outcome.err;
    EXPECT_EQ(outcome.json()["outcome"], "pass") << executor;
  }
}

TEST_P(Deadlocks, TheRecommendedSizeIsTheSmallestThatWorks) {
  const auto& [name, fault, flag, failing, fitting] = GetParam();
  const Strings run = {"run", "deadlock", "--case", name, "--json", "-"};
  const std::string hint = pto2(run).json()["error"]["hint"];
  std::smatch found;
  ASSERT_TRUE(std::regex_search(hint, found, std::regex("(--[a-z-]+) ([0-9]+)"))) << hint;
  EXPECT_EQ(found[1], flag);
  const uint64_t size = std::stoull(found[2]);
  EXPECT_EQ(size, fitting);
  EXPECT_EQ(pto2(with(run, {flag, std::to_string(size)})).json()["outcome"], "pass");
  const bool powers = std::string(flag) == "--window" || std::string(flag) == "--heap";
  const uint64_t smaller = powers ? size / 2 : size - 1;
  EXPECT_EQ(smaller, failing);
  EXPECT_EQ(pto2(with(run, {flag, std::to_string(smaller)})).json()["outcome"], fault);
}

TEST_P(Deadlocks, HasItsOwnSettingsButAFlagWins) {
  const auto& [name, fault, flag, failing, fitting] = GetParam();
  const std::string setting = std::string(flag).substr(2);
  const auto config = [&](const std::string& of, const Strings& more) {
    return pto2(with({"run", "deadlock", "--case", of, "--print-config"}, more)).out;
  };
  const std::string twin = std::string(name) + "_fits";
  const auto line = [&](uint64_t value, const std::string& source) {
    return ContainsRegex("\n" + setting + " +" + std::to_string(value) + " +" + source + "\n");
  };
  EXPECT_THAT(config(name, {}), line(failing, "case \\(" + std::string(name) + "\\)"));
  EXPECT_THAT(config(twin, {}), line(fitting, "case \\(" + twin + "\\)"));
  EXPECT_THAT(config(name, {flag, std::to_string(4 * fitting)}),
              line(4 * fitting, "flag \\(" + std::string(flag) + "\\)"));
}

TEST_P(Deadlocks, IsListedWithItsOutcome) {
  const auto& [name, fault, flag, failing, fitting] = GetParam();
  std::string setting = std::string(flag).substr(2);
  std::replace(setting.begin(), setting.end(), '-', '_');
  const std::string twin = std::string(name) + "_fits";
  int found = 0;
  const auto listing = listed("deadlock");
  for (const auto& one : listing["cases"]) {
    if (one["name"] != name && one["name"] != twin) continue;
    const bool fits = one["name"] == twin;
    EXPECT_EQ(one["outcome"], fits ? "pass" : fault);
    const auto& size = setting == "blocks" ? one["blocks"] : one["rings"][setting];
    EXPECT_EQ(size, fits ? fitting : failing);
    EXPECT_EQ(one.value("twin", ""), fits ? "" : twin);
    ++found;
  }
  EXPECT_EQ(found, 2);
}

INSTANTIATE_TEST_SUITE_P(
    Run, Deadlocks,
    testing::Values(Reproduction{"window", "flow_control_deadlock", "--window", 8, 16},
                    Reproduction{"heap", "heap_ring_deadlock", "--heap", 32 << 10, 64 << 10},
                    Reproduction{"output", "heap_ring_deadlock", "--heap", 64 << 10, 128 << 10},
                    Reproduction{"dep_pool", "dependency_pool_overflow", "--dep-pool", 16, 17},
                    Reproduction{"tensormap", "tensormap_overflow", "--tensormap-pool", 16, 17},
                    Reproduction{"clusters", "cluster_deadlock", "--blocks", 2, 3}),
    [](const auto& reproduction) { return std::string(reproduction.param.name); });

TEST(Deadlock, AnOutputLargerThanTheHeapWaitsForNobody) {
  const std::string err = pto2({"run", "deadlock", "--case", "output"}).err;
  EXPECT_THAT(err, HasSubstr("which is empty: the request alone is too large for it"));
  EXPECT_THAT(err, HasSubstr("- Requested: 98304\n"));
  EXPECT_THAT(pto2({"run", "deadlock", "--case", "heap"}).err,
              HasSubstr("which waits for scope_end of the scope at depth 1"));
}

TEST(Expect, TurnsTheOutcomeIntoTheExitCode) {
  const auto code = [](const std::string& name, const std::string& expected) {
    return pto2({"run", "deadlock", "--case", name, "--expect", expected}).code;
  };
  EXPECT_EQ(code("heap", "heap_ring_deadlock"), 0);
  EXPECT_EQ(code("heap", "flow_control_deadlock"), 1);
  EXPECT_EQ(code("heap", "pass"), 1);
  EXPECT_EQ(code("heap_fits", "pass"), 0);
  EXPECT_EQ(code("heap_fits", "heap_ring_deadlock"), 1);
}

TEST(Expect, WorksForEveryWorkload) {
  const Strings window = {
      "run",      "paged_attention",      "--case", "CaseBatch256", "--window", "8",
      "--expect", "flow_control_deadlock"};
  EXPECT_EQ(pto2(window).code, 0);
  for (const char* workload : {"paged_attention", "paged_attention_seq", "vector_example"}) {
    EXPECT_EQ(pto2({"run", workload, "--expect", "pass"}).code, 0) << workload;
    EXPECT_EQ(pto2({"run", workload, "--expect", "tensormap_overflow"}).code, 1) << workload;
  }
}

TEST(Expect, LeavesOtherErrorsAsTheyAre) {
  const Strings run = {"run", "vector_example", "--expect", "pass"};
  EXPECT_EQ(pto2(with(run, {"--window", "7"})).code, 2);
  EXPECT_EQ(pto2(with(run, {"--kernels", "/nonexistent"})).code, 3);
}

TEST(Expect, RefusesUnknownOutcomesWithTheKnownOnes) {
  for (const char* name :
       {"deadlock", "", "not_drained", "fail", "pass,heap_ring_deadlock", "ok"}) {
    const Outcome outcome = pto2({"run", "deadlock", "--expect", name});
    EXPECT_EQ(outcome.code, 2) << name;
    EXPECT_EQ(outcome.out, "") << name;
    for (const char* known : {"--expect", "pass or ", "flow_control_deadlock", "heap_ring_deadlock",
                              "dependency_pool_overflow", "tensormap_overflow", "bad_submission",
                              "orchestration_threw", "cluster_deadlock"}) {
      EXPECT_THAT(outcome.err, HasSubstr(known)) << name;
    }
    EXPECT_THAT(outcome.err, Not(HasSubstr("or not_drained"))) << name;
  }
}

TEST(Expect, IsInTheReport) {
  const Strings run = {"run", "deadlock", "--case", "window"};
  const Strings expecting = with(run, {"--expect", "pass"});
  const auto json = pto2(with(expecting, {"--json", "-"})).json();
  EXPECT_EQ(json["expected"], "pass");
  EXPECT_EQ(json["outcome"], "flow_control_deadlock");
  EXPECT_TRUE(pto2(with(run, {"--json", "-"})).json()["expected"].is_null());
  const Outcome text = pto2(expecting);
  EXPECT_THAT(text.out, HasSubstr("expected        pass, which it is not\n"));
  EXPECT_THAT(text.err, HasSubstr("case window ended in flow_control_deadlock, expected pass;"));
  const Outcome met = pto2(with(run, {"--expect", "flow_control_deadlock"}));
  EXPECT_THAT(met.out, HasSubstr("expected        flow_control_deadlock\n"));
  EXPECT_THAT(met.err, AllOf(HasSubstr("FATAL: "), Not(HasSubstr("ended in"))));
}

TEST(All, RunsEveryCaseWithALineForEach) {
  for (const char* executor : {"packed", "threads", "seeded"}) {
    const Outcome outcome = pto2({"run", "deadlock", "--all", "--executor", executor});
    EXPECT_EQ(outcome.code, 0) << executor;
    EXPECT_EQ(outcome.err, "") << executor;
    const auto cases = listed("deadlock")["cases"];
    EXPECT_EQ(std::count(outcome.out.begin(), outcome.out.end(), '\n'), cases.size()) << executor;
    for (const auto& one : cases) {
      EXPECT_THAT("\n" + outcome.out,
                  ContainsRegex("\nok +" + one["name"].get<std::string>() + " +[0-9.]+ [mu]s +" +
                                one["outcome"].get<std::string>() + "\n"))
          << executor;
    }
  }
}

TEST(All, FailsIfOneCaseEndsOtherwise) {
  // With a heap that is large enough, the two reproductions of the heap pass.
  const Outcome outcome = pto2({"run", "deadlock", "--all", "--heap", "1M"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.out, ContainsRegex("wrong heap +[^\n]* pass, expected heap_ring_deadlock\n"));
  EXPECT_THAT(outcome.out,
              ContainsRegex("wrong output +[^\n]* pass, expected heap_ring_deadlock\n"));
  EXPECT_THAT(outcome.out, ContainsRegex("ok +tensormap +"));
  EXPECT_THAT(outcome.err, HasSubstr("case heap ended in pass, expected heap_ring_deadlock"));
  EXPECT_THAT(outcome.err, Not(HasSubstr("FATAL"))) << "the expected faults are not told";
  const Outcome first = pto2({"run", "deadlock", "--all", "--window", "16"});
  EXPECT_EQ(first.code, 1) << "the first case alone passes, and the last ones not";
  EXPECT_THAT(first.err, HasSubstr("FATAL: Flow Control Deadlock Detected!"));
}

TEST(All, IsOneObjectAsJson) {
  const Outcome outcome = pto2({"run", "deadlock", "--all", "--json", "-"});
  EXPECT_EQ(outcome.code, 0);
  const auto json = outcome.json();
  EXPECT_EQ(json["schema"], "pto2-run-all/1");
  EXPECT_EQ(json["workload"], "deadlock");
  EXPECT_EQ(json["verdict"], "pass");
  const auto cases = listed("deadlock")["cases"];
  ASSERT_EQ(json["cases"].size(), cases.size());
  for (std::size_t i = 0; i < cases.size(); ++i) {
    EXPECT_EQ(json["cases"][i]["case"], cases[i]["name"]);
    EXPECT_EQ(json["cases"][i]["expected"], cases[i]["outcome"]);
    EXPECT_EQ(json["cases"][i]["outcome"], cases[i]["outcome"]);
    EXPECT_EQ(json["cases"][i]["config"]["window"], cases[i]["rings"]["window"]);
    const bool own_chip = cases[i]["blocks"].is_number();
    EXPECT_EQ(json["cases"][i]["config"]["blocks"], own_chip ? cases[i]["blocks"].get<int>() : 24);
  }
  EXPECT_EQ(pto2({"run", "deadlock", "--all", "--heap", "1M", "--json", "-"}).json()["verdict"],
            "fail");
}

/// The case with two blocks comes last, and cannot have three schedulers.
TEST(All, IsRefusedBeforeItsFirstCaseIfOneIsWrong) {
  const TemporaryFolder folder;
  const std::string json = folder.file("json", "earlier");
  const Outcome outcome = pto2({"run", "deadlock", "--all", "--schedulers", "3", "--json", json});
  EXPECT_EQ(outcome.code, 2) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(read_text(json), "earlier");
}

/// The images of workload deadlock, but the orchestration lacks the entry of two cases.
void copy_without_readers(const TemporaryFolder& folder) {
  namespace fs = std::filesystem;
  fs::copy(images() + "/deadlock", folder.path("deadlock"), fs::copy_options::recursive);
  const std::string image = folder.path("deadlock/orchestration.so");
  std::string bytes = read_text(image);
  const std::string entry = "aicpu_orchestration_entry_readers";
  for (std::size_t at = bytes.find(entry); at != std::string::npos; at = bytes.find(entry, at)) {
    bytes.replace(at, entry.size(), "aicpu_orchestration_entry_writers");
  }
  fs::remove(image);
  folder.file("deadlock/orchestration.so", bytes);
}

/// An earlier file is gone by then.
TEST(All, HasTheOthersWhereOneCannotBeMade) {
  const TemporaryFolder folder;
  copy_without_readers(folder);
  const std::string json = folder.file("json", "earlier");
  const Outcome outcome =
      run_program("/usr/bin/env", {"PTO2_WORKLOADS=" + folder.path(), PTO2_PROGRAM, "run",
                                   "deadlock", "--all", "--json", json});
  EXPECT_EQ(outcome.code, 3) << outcome.err;
  const auto report = nlohmann::json::parse(read_text(json));
  EXPECT_EQ(report["verdict"], "error");
  ASSERT_EQ(report["cases"].size(), listed("deadlock")["cases"].size());
  std::size_t errors = 0;
  for (const auto& one : report["cases"]) {
    const auto name = one["case"].get<std::string>();
    const auto expected = one["expected"].get<std::string>();
    if (one["outcome"] == expected) {
      EXPECT_THAT(outcome.out, ContainsRegex("ok +" + name + " "));
      continue;
    }
    ++errors;
    EXPECT_EQ(one["verdict"], "error");
    EXPECT_TRUE(one["repeat"].is_null());
    EXPECT_THAT(one["detail"].get<std::string>(), HasSubstr("aicpu_orchestration_entry_readers"));
    EXPECT_THAT(outcome.err, ContainsRegex("pto2: case " + name + ": .*_entry_readers"));
    EXPECT_THAT(outcome.out, ContainsRegex("wrong " + name + " +- +error, expected " + expected));
  }
  EXPECT_EQ(errors, 2U);
  EXPECT_THAT(outcome.err, Not(HasSubstr("ended in"))) << "it has not begun";
}

/// Every other case would be for nothing, too. A folder of the same name cannot be removed, whoever
/// tries; it comes while the first case runs, which has removed the earlier file.
TEST(All, EndsWhereItsJsonCannotBeReplaced) {
  const TemporaryFolder folder;
  const std::string json = folder.file("json", "earlier");
  RunningProgram program({"run", "vector_example", "--all", "--repeat", "300", "--json", json});
  ASSERT_TRUE(program.wait_until([&] { return !std::filesystem::exists(json); }));
  std::filesystem::create_directory(json);
  const Outcome outcome = program.end_with(0);  // which is no signal
  EXPECT_EQ(outcome.code, 3);
  EXPECT_THAT(outcome.out, ContainsRegex("^ok +Case1 [^\n]*\n$"));
  EXPECT_EQ(outcome.err.find("pto2: " + json + ": the result as JSON cannot replace the earlier"),
            0U)
      << outcome.err;
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
}

/// The command line is wrong, and nothing has run.
TEST(All, IsRefusedIfItsFirstCaseCannotHaveAnOption) {
  const TemporaryFolder folder;
  const std::string json = folder.file("json", "earlier");
  const Outcome outcome =
      pto2({"run", "paged_attention", "--all", "--scale", "1e30", "--json", json});
  EXPECT_EQ(outcome.code, 2) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(read_text(json), "earlier");
}

TEST(All, LeavesStdoutToTheLinesWhenTheJsonIsAFile) {
  const TemporaryFolder folder;
  const Outcome outcome =
      pto2({"run", "vector_example", "--all", "--json", folder.path("report.json")});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, ContainsRegex("ok +Case1 .* pass\nok +CaseRandom .* pass\n"));
  const auto report = nlohmann::json::parse(read_text(folder.path("report.json")));
  EXPECT_EQ(report["schema"], "pto2-run-all/1");
}

TEST(All, WritesNoJsonOverItsConfigFile) {
  const TemporaryFolder folder;
  const std::string text = "window = 64\n";
  const std::string file = folder.file("config.toml", text);
  const Outcome outcome =
      pto2({"run", "vector_example", "--all", "--config", file, "--json", file});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("--json"));
  EXPECT_EQ(read_text(file), text);
}

/// Not only the flags are about one run.
TEST(All, HeedsNoCaseAndNoOutcomeOfAFileOrVariable) {
  const TemporaryFolder folder;
  const auto refusal_of = [&](const std::string& setting) {
    const Outcome outcome =
        pto2({"run", "deadlock", "--all", "--config", folder.file("config.toml", setting)});
    EXPECT_EQ(outcome.code, 3) << setting;
    EXPECT_EQ(outcome.out, "") << setting;
    return outcome.err;
  };
  EXPECT_THAT(refusal_of("expect = \"pass\"\n"),
              HasSubstr("config.toml, line 1, expect: --all expects of each case what pto2 list"));
  EXPECT_THAT(refusal_of("window = 16\ncase = \"heap\"\n"),
              HasSubstr("config.toml, line 2, case: --all runs every case; leave it out"));
  const Outcome outcome = run_program(
      "/usr/bin/env", {"PA_CASE=Case2", PTO2_PROGRAM, "run", "paged_attention", "--all"});
  EXPECT_EQ(outcome.code, 3);
  EXPECT_THAT(outcome.err, HasSubstr("PA_CASE: --all runs every case"));
}

TEST(All, WorksForOtherWorkloads) {
  const Outcome outcome = pto2({"run", "vector_example", "--all"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(outcome.out, ContainsRegex("ok +Case1 .* pass\nok +CaseRandom .* pass\n"));
  EXPECT_EQ(pto2({"run", "vector_example", "--all", "--quiet"}).out, "");
}

TEST(All, IsAWrongUseWithWhatNamesOneRun) {
  const Strings others[] = {
      {"--case", "heap"}, {"--expect", "pass"}, {"--trace", "t"}, {"--print-config"}};
  for (const Strings& other : others) {
    const Outcome outcome = pto2(with({"run", "deadlock", "--all"}, other));
    EXPECT_EQ(outcome.code, 2) << other.front();
    EXPECT_THAT(outcome.err, AllOf(HasSubstr("--all"), HasSubstr(other.front())));
  }
  const Outcome own = pto2({"run", "--all", "--orchestration", "x.so", "--kernels", "k"});
  EXPECT_EQ(own.code, 2);
  EXPECT_THAT(own.err, HasSubstr("--all needs a WORKLOAD"));
}

}  // namespace
}  // namespace pto2::test
