// pto2 list, pto2 doctor, --help and --version.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "tests/cli/program.hpp"

namespace pto2::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(List, NamesWorkloadsAndCases) {
  const Outcome text = pto2({"list"});
  EXPECT_EQ(text.code, 0);
  for (const char* name : {"paged_attention:", "paged_attention_seq:", "vector_example:",
                           "alternating:", "bgemm:", "block_incore:", "clusters:", "deadlock:",
                           "matmul:", "CaseBatch256", "ProdCase2", "TaskRingNested passes"}) {
    EXPECT_THAT(text.out, HasSubstr(name));
  }
  const auto json = pto2({"list", "--json"}).json();
  EXPECT_EQ(json["schema"], "pto2-list/1");
  EXPECT_EQ(json["workloads"].size(), 9U);
  for (const auto& workload : json["workloads"]) {
    for (const auto& one : workload["cases"]) {
      EXPECT_GT(one["tasks"], 0);
      EXPECT_GT(one["tolerance"], 0);
      EXPECT_GT(one["rings"]["window"], 0);
    }
  }
}

TEST(List, ShowsTheOptionsOfEachWorkload) {
  EXPECT_THAT(pto2({"list"}).out,
              testing::ContainsRegex("--seq-lens +context lengths.*.PA_SEQ_LEN."));
  const auto json = pto2({"list", "--json"}).json();
  for (const auto& workload : json["workloads"]) {
    const bool has_none = !workload["name"].get<std::string>().starts_with("paged_attention");
    ASSERT_EQ(workload["options"].size(), has_none ? 0U : 2U) << workload["name"];
    if (has_none) continue;
    const auto& lengths = workload["options"][0];
    EXPECT_EQ(lengths["name"], "seq-lens");
    EXPECT_EQ(lengths["kind"], "lengths");
    EXPECT_EQ(lengths["environment"], "PA_SEQ_LEN");
    EXPECT_EQ(workload["options"][1]["kind"], "real");
    EXPECT_TRUE(workload["options"][1]["environment"].is_null());
  }
}

TEST(List, EveryDeadlockHasATwinThatIsListed) {
  std::set<std::string> names;
  std::set<std::string> twins;
  const auto json = pto2({"list", "--json"}).json();
  for (const auto& workload : json["workloads"]) {
    for (const auto& one : workload["cases"]) {
      names.insert(one["name"]);
      if (one["deadlocks"]) twins.insert(one["twin"]);
    }
  }
  EXPECT_THAT(twins, testing::Contains("TaskRingNested"));
  EXPECT_THAT(names, testing::IsSupersetOf(twins));
}

TEST(List, ShowsOutcomesAndTheSettingsOfCases) {
  const std::string text = pto2({"list"}).out;
  for (const char* line :
       {"window +8 +1e-05 +flow_control_deadlock +window=8 +a scope.*; window_fits passes\n",
        "heap_fits +16 +1e-05 +pass +heap=64K ", "dep_pool +18 .* dep-pool=16 ",
        "tensormap +17 .* tensormap_overflow +tensormap-pool=16 ",
        "TaskRing +2368 .* flow_control_deadlock +window=16 heap=1M dep-pool=256 +one scope",
        "clusters +3 .* cluster_deadlock +blocks=2 +a scope", "Case1 +5 +1e-05 +pass +- +a = 2"}) {
    EXPECT_THAT(text, testing::ContainsRegex(line));
  }
  for (const auto& workload : pto2({"list", "--json"}).json()["workloads"]) {
    for (const auto& one : workload["cases"]) {
      EXPECT_EQ(one["deadlocks"], one["outcome"] != "pass");
      EXPECT_EQ(one.contains("twin"), one["outcome"] != "pass");
      if (one["name"] == "tensormap") {
        EXPECT_EQ(one["rings"]["tensormap_pool"], 16);
      }
    }
  }
}

TEST(List, TaskCountsAreThoseOfTheRuns) {
  const auto json = pto2({"list", "--json"}).json();
  for (const auto& workload : json["workloads"]) {
    const auto& cases = workload["cases"];
    const auto first = std::find_if(cases.begin(), cases.end(),
                                    [](const auto& one) { return one["outcome"] == "pass"; });
    ASSERT_NE(first, cases.end());
    const auto run =
        pto2({"run", workload["name"], "--case", (*first)["name"], "--json", "-"}).json();
    EXPECT_EQ(run["tasks"], (*first)["tasks"]);
    EXPECT_EQ(run["tolerance"], (*first)["tolerance"]);
    EXPECT_EQ(run["case"], (*first)["name"]);
  }
}

TEST(Doctor, ChecksThisMachine) {
  const Outcome text = pto2({"doctor"});
  EXPECT_EQ(text.code, 0) << text.out;
  const auto json = pto2({"doctor", "--json"}).json();
  EXPECT_EQ(json["schema"], "pto2-doctor/1");
  EXPECT_EQ(json["verdict"], "pass");
  std::set<std::string> names;
  for (const auto& check : json["checks"]) {
    names.insert(check["name"]);
    EXPECT_NE(check["status"], "fail") << check;
    EXPECT_THAT(text.out, HasSubstr(check["name"]));
  }
  EXPECT_THAT(names, testing::IsSupersetOf({"cpus", "memory", "sealed memory files", "clock",
                                            "images of paged_attention", "run of vector_example"}));
}

TEST(Doctor, WarnsOfLimits) {
  cpu_set_t all;
  ASSERT_EQ(sched_getaffinity(0, sizeof all, &all), 0);
  int first = 0;
  while (!CPU_ISSET(first, &all)) ++first;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(first, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  const Outcome alone = pto2({"doctor"});
  ASSERT_EQ(sched_setaffinity(0, sizeof all, &all), 0);
  EXPECT_THAT(alone.out, testing::ContainsRegex("warn +cpus +1 usable"));
  const auto limited = [](const std::string& bytes) {
    return run_program("/usr/bin/prlimit", {"--as=" + bytes, PTO2_PROGRAM, "doctor"}).out;
  };
  EXPECT_THAT(limited("8589934591"),
              testing::ContainsRegex("warn +address space +limited to 8.0 GiB"));
  EXPECT_THAT(limited("8589934592"), testing::Not(HasSubstr("limited to")));
}

TEST(Doctor, FailsWithoutImages) {
  const Outcome outcome = pto2({"doctor"}, {"PTO2_WORKLOADS=/nonexistent"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.out, testing::ContainsRegex("fail +images of paged_attention"));
  EXPECT_EQ(pto2({"doctor", "--json"}, {"PTO2_WORKLOADS=/nonexistent"}).json()["verdict"], "fail");
}

TEST(Doctor, FailsWhenTheExampleIsWrong) {
  const TemporaryFolder folder;
  const std::string workloads = folder.path("workloads");
  std::filesystem::copy(images(), workloads, std::filesystem::copy_options::recursive);
  const auto move_kernel = [&](const std::string& from, const std::string& to) {
    const std::string all = workloads + "/vector_example/kernels/";
    std::filesystem::rename(all + from, all + to);
  };
  move_kernel("0_add.so", "9_add.so");
  move_kernel("2_multiply.so", "0_multiply.so");
  move_kernel("9_add.so", "2_add.so");
  const Outcome outcome = pto2({"doctor"}, {"PTO2_WORKLOADS=" + workloads});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.out, testing::ContainsRegex("ok +images of vector_example +"));
  EXPECT_THAT(outcome.out,
              testing::ContainsRegex("fail +run of vector_example +wrong result: element 0 is "
                                     "[-0-9.]+, expected [-0-9.]+\n"));
}

TEST(Doctor, FailsWhenTheExampleHasOtherTasks) {
  const TemporaryFolder folder;
  const std::string workloads = folder.path("workloads");
  std::filesystem::copy(images(), workloads, std::filesystem::copy_options::recursive);
  std::filesystem::copy_file(TEST_IMAGES "/one_more.so",
                             workloads + "/vector_example/orchestration.so",
                             std::filesystem::copy_options::overwrite_existing);
  const Outcome outcome = pto2({"doctor"}, {"PTO2_WORKLOADS=" + workloads});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.out,
              testing::ContainsRegex("fail +run of vector_example +6 tasks instead of 5\n"));
}

TEST(Help, HasExamplesAndExitCodes) {
  const Strings all[] = {{"--help"},
                         {"run", "--help"},
                         {"validate", "--help"},
                         {"list", "--help"},
                         {"doctor", "--help"}};
  for (const Strings& arguments : all) {
    const Outcome outcome = pto2(arguments);
    EXPECT_EQ(outcome.code, 0);
    EXPECT_THAT(outcome.out, HasSubstr("Examples:"));
  }
  EXPECT_THAT(pto2({"--help"}).out, AllOf(HasSubstr("Exit codes"), HasSubstr("doctor")));
  EXPECT_THAT(pto2({"run", "--help"}).out,
              AllOf(HasSubstr("Exit codes"), HasSubstr("PTO2_RING_TASK_WINDOW"),
                    HasSubstr("packed or threads or seeded")));
}

TEST(Help, AndTheErrorNameEveryCommand) {
  const std::string help = pto2({"--help"}).out;
  for (const char* name : {"run", "run-folder", "validate", "check", "simulate", "stress", "replay",
                           "list", "doctor"}) {
    EXPECT_THAT(help, testing::ContainsRegex(std::string("\n +") + name + " +[a-z]")) << name;
  }
  for (const Strings& arguments : {Strings{}, Strings{"fly"}}) {
    EXPECT_THAT(pto2(arguments).err, HasSubstr("name a command: run, run-folder, validate, check, "
                                               "simulate, stress, replay, list or doctor; "
                                               "pto2 --help"));
  }
  EXPECT_THAT(pto2({"fly"}).err, HasSubstr("pto2: fly is no command; name"));
}

TEST(Version, IsPrinted) {
  const Outcome outcome = pto2({"--version"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(outcome.out, testing::MatchesRegex("pto2 [0-9]+\\.[0-9]+\\.[0-9]+\n"));
}

}  // namespace
}  // namespace pto2::test
