// pto2 run: verdicts, reports and exit codes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/cli/program.hpp"

namespace pto2::test {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::IsEmpty;

struct Case {
  const char* workload;
  const char* name;
  uint64_t tasks;
  double tolerance;
};

/// A run that passes, as JSON.
nlohmann::json passing(const Strings& arguments) {
  Strings all = {"run"};
  all.insert(all.end(), arguments.begin(), arguments.end());
  all.insert(all.end(), {"--json", "-"});
  const Outcome outcome = pto2(all);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, IsEmpty());
  const nlohmann::json json = outcome.json();
  EXPECT_EQ(json.value("verdict", ""), "pass") << outcome.out;
  return json;
}

class SmallCases : public testing::TestWithParam<Case> {};

TEST_P(SmallCases, PassPacked) {
  const Case& c = GetParam();
  const nlohmann::json json = passing({c.workload, "--case", c.name});
  EXPECT_EQ(json["tasks"], c.tasks);
  EXPECT_EQ(json["workload"], c.workload);
  EXPECT_EQ(json["case"], c.name);
  EXPECT_EQ(json["executor"], "packed");
  EXPECT_EQ(json["tolerance"], c.tolerance);
  EXPECT_GT(json["max_abs_error"], 0);
  EXPECT_LT(json["max_abs_error"], c.tolerance);
  for (const char* count : {"dispatches", "acks", "fins"}) EXPECT_EQ(json[count], c.tasks) << count;
}

INSTANTIATE_TEST_SUITE_P(
    Run, SmallCases,
    testing::Values(Case{"paged_attention", "Case1", 13, 1e-2},
                    Case{"paged_attention", "Case2", 9, 1e-2},
                    Case{"paged_attention", "Case3", 33, 1e-2},
                    Case{"paged_attention", "CaseVarSeq2", 13, 1e-2},
                    Case{"paged_attention", "CaseVarSeq4", 33, 1e-2},
                    Case{"paged_attention", "CaseBatch256", 208, 1e-2},
                    Case{"paged_attention_seq", "Case1", 13, 1e-2},
                    Case{"paged_attention_seq", "Case2", 33, 1e-2},
                    Case{"paged_attention_seq", "TaskRingNested", 2368, 1e-3},
                    Case{"paged_attention_seq", "RingBufferNested", 4128, 1e-3},
                    Case{"bgemm", "Case1", 256, 1e-3}, Case{"matmul", "Case1", 4, 1e-2},
                    Case{"block_incore", "expansion", 48, 1e-4},
                    Case{"clusters", "tensor", 72, 1e-3}, Case{"clusters", "pipe", 72, 1e-3},
                    Case{"alternating", "case1", 64, 1e-3},
                    Case{"alternating", "case2", 128, 1e-3}),
    [](const auto& c) { return std::string(c.param.workload) + c.param.name; });

/// A task is counted once, each of its parts is dispatched.
TEST(Run, CountsPartsOfBlockTasks) {
  const nlohmann::json json = passing({"block_incore", "--case", "block_task"});
  EXPECT_EQ(json["tasks"], 2);
  for (const char* count : {"dispatches", "acks", "fins"}) EXPECT_EQ(json[count], 48) << count;
}

TEST(Run, PassesOnThreads) {
  for (const Case& c : {Case{"paged_attention", "Case3", 33, 0},
                        {"vector_example", "Case1", 5, 0},
                        {"paged_attention_seq", "Case2", 33, 0}}) {
    const auto json = passing({c.workload, "--case", c.name, "--executor", "threads"});
    EXPECT_EQ(json["tasks"], c.tasks);
    EXPECT_EQ(json["host_threads"], 1 + 3 + 3 * 24);
  }
}

TEST(Run, TheFirstCaseIsTheDefault) {
  EXPECT_EQ(passing({"paged_attention"})["case"], "Case1");
}

TEST(Run, SettingsReachTheDevice) {
  const auto json = passing({"paged_attention",
                             "--case",
                             "Case3",
                             "--blocks",
                             "2",
                             "--schedulers",
                             "2",
                             "--rings",
                             "2",
                             "--shards",
                             "1",
                             "--fan-out",
                             "lock",
                             "--heap",
                             "2M",
                             "--dep-pool",
                             "1K",
                             "--tensormap-pool",
                             "2K",
                             "--window",
                             "64",
                             "--host-threads",
                             "1",
                             "--input-seed",
                             "9"});
  const auto config = json["config"];
  EXPECT_EQ(config["blocks"], 2);
  EXPECT_EQ(config["schedulers"], 2);
  EXPECT_EQ(config["rings"], 2);
  EXPECT_EQ(config["shards"], 1);
  EXPECT_EQ(config["fan_out"], "lock");
  EXPECT_EQ(config["heap"], 2 << 20);
  EXPECT_EQ(config["dep_pool"], 1024);
  EXPECT_EQ(config["tensormap_pool"], 2048);
  EXPECT_EQ(config["window"], 64);
  EXPECT_EQ(config["input_seed"], 9);
  EXPECT_EQ(json["host_threads"], 1);
}

TEST(Run, CaseOptionsReachTheCase) {
  const auto usual = passing({"paged_attention", "--case", "CaseVarSeq2"});
  const auto longer = passing(
      {"paged_attention", "--case", "CaseVarSeq2", "--seq-lens", "100,64", "--scale", "0.1"});
  EXPECT_EQ(usual["tasks"], 13);
  EXPECT_EQ(longer["tasks"], 29);
  EXPECT_NE(usual["max_abs_error"], longer["max_abs_error"]);
  EXPECT_EQ(longer["config"]["seq_lens"], nlohmann::json({100, 64}));
  EXPECT_EQ(longer["config"]["scale"].dump(), "0.1");
  const auto other = passing({"paged_attention", "--case", "CaseVarSeq2", "--input-seed", "2"});
  EXPECT_NE(usual["max_abs_error"], other["max_abs_error"]);
}

TEST(Run, OneBlockNeedsNoOtherSetting) {
  EXPECT_EQ(passing({"paged_attention", "--blocks", "1"})["config"]["schedulers"], 1);
}

/// Not of the program that started it.
TEST(Run, TellsOfTheMemoryOfItsOwnProcess) {
  if (!address_space_is_ours) GTEST_SKIP() << "a sanitizer takes some, too";
  const std::vector<char> own(1 << 28, 1);
  const auto json = passing({"vector_example"});
  EXPECT_GT(json["peak_rss_bytes"], 1 << 20);
  EXPECT_LT(json["peak_rss_bytes"], own.size());
}

TEST(Run, JsonHasTheFieldsThatScriptsUse) {
  const auto json = passing({"paged_attention", "--case", "CaseBatch256"});
  EXPECT_EQ(json["schema"], "pto2-run/1");
  EXPECT_EQ(json["runtime"], "tensormap_and_ringbuffer");
  EXPECT_EQ(json["repeat"], 1);
  EXPECT_FALSE(json.contains("error"));
  for (const char* name : {"wall_s", "kernel_s", "ns_per_task", "peak_window", "peak_rss_bytes"}) {
    EXPECT_GT(json[name], 0) << name;
  }
  for (const char* name : {"slots_recycled", "steals", "cas_retries", "waits", "host_threads"}) {
    EXPECT_TRUE(json[name].is_number_unsigned()) << name;
  }
  EXPECT_EQ(json["edges_linked"].get<int>() + json["edges_early"].get<int>(), 272);
  EXPECT_NEAR(json["ns_per_task"], json["wall_s"].get<double>() * 1e9 / 208, 1);
}

TEST(Run, TextSaysWhatHappened) {
  const Outcome outcome = pto2({"run", "paged_attention", "--case", "CaseBatch256"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(outcome.err, IsEmpty());
  for (const char* line : {"workload +paged_attention\n", "case +CaseBatch256\n", "verdict +pass\n",
                           "max abs error +[0-9.e-]+ .tolerance 0.01", "tasks +208, 272 edges\n",
                           "wall time +", "kernel time +", "per task +[0-9]+ ns\n",
                           "host threads +", "peak window +", "slots recycled +0\n"}) {
    EXPECT_THAT(outcome.out, ContainsRegex(line));
  }
}

TEST(Run, RepeatsAreVerifiedAndTheirMedianTaken) {
  const auto json = passing({"paged_attention", "--case", "Case3", "--repeat", "5"});
  EXPECT_EQ(json["repeat"], 5);
  EXPECT_EQ(json["tasks"], 33);
  EXPECT_THAT(pto2({"run", "paged_attention", "--repeat", "4"}).out, HasSubstr("median of 4"));
}

TEST(Run, GraphsAreReplayedOnDemand) {
  for (const char* executor : {"packed", "threads", "seeded", "random"}) {
    const auto json = passing({"paged_attention", "--case", "Case3", "--repeat", "4",
                               "--replay-graph", "--executor", executor});
    EXPECT_EQ(json["tasks"], 33);
    EXPECT_EQ(json["graph"]["recorded"], 1);
    EXPECT_EQ(json["graph"]["replayed"], 3);
    EXPECT_EQ(json["graph"]["left"], 0);
    EXPECT_EQ(json["graph"]["refused"], 0);
    EXPECT_GT(json["graph"]["replayed_wall_s"], 0);
  }
  EXPECT_FALSE(passing({"paged_attention", "--repeat", "2"}).contains("graph"));
}

TEST(Run, GraphsThatCannotBeRecordedAreNamed) {
  const Strings run{"run", "clusters", "--repeat", "3", "--replay-graph"};
  const Outcome outcome = pto2(run);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out,
              HasSubstr("0 recorded, 0 replayed, 3 refused: it pins tasks to clusters"));
  const auto json = passing({"clusters", "--repeat", "3", "--replay-graph"});
  EXPECT_EQ(json["graph"]["refused"], 3);
  EXPECT_EQ(json["graph"]["reason"], "it pins tasks to clusters");
  EXPECT_TRUE(json["graph"]["replayed_wall_s"].is_null());
}

TEST(Run, AReplayNeedsARunBefore) {
  const Outcome outcome = pto2({"run", "paged_attention", "--replay-graph"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("--replay-graph needs --repeat 2 or more"));
}

/// Who gave it is blamed, and nobody's flag.
TEST(Run, AReplayThatAFileAsksForNeedsARunBefore) {
  const TemporaryFolder folder;
  const std::string file = folder.file("c.toml", "replay-graph = true\n");
  const Outcome outcome = pto2({"run", "bgemm", "--config", file});
  EXPECT_EQ(outcome.code, 3);
  EXPECT_THAT(outcome.err, HasSubstr("c.toml, line 1, replay-graph needs --repeat 2 or more"));
  EXPECT_THAT(outcome.err, Not(HasSubstr("--replay-graph")));
  EXPECT_EQ(pto2({"run", "bgemm", "--config", file, "--repeat", "1"}).code, 2);
  EXPECT_EQ(pto2({"run", "bgemm", "--config", file, "--repeat", "2"}).code, 0);
}

TEST(Run, OutputsGoWhereTheyShould) {
  const TemporaryFolder folder;
  const Outcome both = pto2({"run", "paged_attention", "--json", folder.path("r.json")});
  EXPECT_THAT(both.out, HasSubstr("verdict"));
  EXPECT_EQ(nlohmann::json::parse(read_text(folder.path("r.json")))["verdict"], "pass");
  const Outcome quiet = pto2({"run", "paged_attention", "--quiet"});
  EXPECT_EQ(quiet.code, 0);
  EXPECT_EQ(quiet.out + quiet.err, "");
  EXPECT_EQ(pto2({"run", "paged_attention", "--quiet", "--json", "-"}).json()["verdict"], "pass");
  // What was asked for is no chatter.
  const Outcome settings = pto2({"run", "paged_attention", "--quiet", "--print-config"});
  EXPECT_THAT(settings.out, HasSubstr("window"));
}

TEST(Run, UnwritableOutputsAreFoundBeforeTheRun) {
  for (const char* option : {"--json", "--trace"}) {
    // A run of this length would take hours.
    const Outcome outcome = pto2({"run", "paged_attention_seq", "--case", "RingBufferNested",
                                  "--repeat", "1000000", option, "/nonexistent/file"});
    EXPECT_EQ(outcome.code, 3);
    EXPECT_THAT(outcome.err, HasSubstr("/nonexistent/file: the "));
    EXPECT_THAT(outcome.out, IsEmpty());
  }
  const Outcome full = pto2({"run", "paged_attention", "--json", "/dev/full"});
  EXPECT_EQ(full.code, 3);
  EXPECT_THAT(full.err, HasSubstr("No space left"));
}

/// A trace and a result that go to one file are refused, and nothing is written.
void expect_one_file(const TemporaryFolder& folder, const char* trace, const char* result) {
  const Outcome outcome =
      run_program("/usr/bin/env", {"-C", folder.path(), PTO2_PROGRAM, "run", "vector_example",
                                   "--trace", trace, "--json", result});
  EXPECT_EQ(outcome.code, 2) << trace << ' ' << result;
  EXPECT_THAT(outcome.err,
              HasSubstr(trace == std::string("-") ? "--trace and --json cannot both be stdout"
                                                  : "--trace and --json name the same file"));
  EXPECT_EQ(outcome.out, "");
}

TEST(Run, OutputsAreDifferentFiles) {
  const TemporaryFolder folder;
  std::filesystem::create_symlink("r", folder.path("link"));
  const std::string absolute = folder.path("r");
  for (const char* other : {"r", "./r", "link", absolute.c_str()}) {
    expect_one_file(folder, other, "r");
    expect_one_file(folder, "r", other);
    EXPECT_FALSE(std::filesystem::exists(folder.path("r"))) << other;
  }
  expect_one_file(folder, "-", "-");
  folder.file("r", "earlier");
  std::filesystem::create_hard_link(folder.path("r"), folder.path("twin"));
  for (const char* other : {"./r", "link", "twin"}) {
    expect_one_file(folder, other, "r");
    EXPECT_EQ(read_text(folder.path("r")), "earlier") << other;
  }
}

TEST(Run, OneThatIsRefusedKeepsEarlierResults) {
  const TemporaryFolder folder;
  const std::string trace = folder.file("t", "earlier trace");
  const std::string result = folder.file("r", "earlier result");
  const std::pair<Strings, int> refused[] = {{{"--blocks", "2", "--schedulers", "8"}, 2},
                                             {{"--platform", "/nonexistent.toml"}, 3}};
  for (const auto& [options, code] : refused) {
    Strings arguments = {"run", "vector_example", "--trace", trace, "--json", result};
    arguments.insert(arguments.end(), options.begin(), options.end());
    EXPECT_EQ(pto2(arguments).code, code) << options.front();
    EXPECT_EQ(read_text(trace), "earlier trace") << options.front();
    EXPECT_EQ(read_text(result), "earlier result") << options.front();
  }
}

TEST(Run, AnEmptyNameIsNoFile) {
  for (const char* option : {"--json", "--trace", "--config"}) {
    const Outcome outcome = pto2({"run", option, ""});
    EXPECT_EQ(outcome.code, 2) << option;
    EXPECT_THAT(outcome.err, AllOf(HasSubstr(option), HasSubstr("an empty name")));
    EXPECT_EQ(outcome.out, "");
  }
}

TEST(Run, SmallWindowsRecycleSlots) {
  const auto json = passing({"paged_attention", "--case", "CaseBatch256", "--window", "16"});
  EXPECT_GT(json["slots_recycled"], 0);
  EXPECT_EQ(json["peak_window"], 15);
  EXPECT_EQ(json["tasks"], 208);
}

TEST(Run, AScopeLargerThanTheWindowIsADeadlock) {
  const Outcome outcome =
      pto2({"run", "paged_attention", "--case", "CaseBatch256", "--window", "8", "--json", "-"});
  EXPECT_EQ(outcome.code, 5);
  EXPECT_LT(outcome.seconds, 30) << "half of the deadline of kernels";
  for (const char* text : {"- Oldest alive: task 0 of ring 1, state 2 (completed)",
                           "FATAL: Flow Control Deadlock Detected!", "Task Ring is FULL",
                           "- Window size: 8", "Wait-for cycle:", "--window 16"}) {
    EXPECT_THAT(outcome.err, HasSubstr(text));
  }
  const auto json = outcome.json();
  EXPECT_EQ(json["verdict"], "fault");
  EXPECT_EQ(json["error"]["code"], "flow_control_deadlock");
  EXPECT_THAT(json["error"]["message"], HasSubstr("FATAL"));
  EXPECT_THAT(json["error"]["hint"], HasSubstr("16"));
}

TEST(Run, EachResourceHasItsDeadlock) {
  const std::pair<Strings, const char*> all[] = {
      {{"--heap", "1K"}, "heap_ring_deadlock"},
      {{"--dep-pool", "16"}, "dependency_pool_overflow"},
      {{"--tensormap-pool", "16"}, "tensormap_overflow"}};
  for (const auto& [options, code] : all) {
    Strings arguments = {"run", "paged_attention", "--json", "-"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const Outcome outcome = pto2(arguments);
    EXPECT_EQ(outcome.code, 5) << code;
    EXPECT_EQ(outcome.json()["error"]["code"], code);
    EXPECT_THAT(outcome.err, HasSubstr("FATAL: "));
    EXPECT_THAT(outcome.err, HasSubstr("Recommended: "));
    EXPECT_THAT(outcome.err, HasSubstr(options.front()));
  }
}

TEST(Run, DeadlockReproductionsDeadlock) {
  for (const char* name : {"TaskRing", "RingBuffer"}) {
    const Outcome outcome = pto2({"run", "paged_attention_seq", "--case", name});
    EXPECT_EQ(outcome.code, 5);
    EXPECT_THAT(outcome.err, HasSubstr("FATAL: Flow Control Deadlock Detected!"));
    EXPECT_THAT(outcome.out, ContainsRegex("verdict +fault: flow_control_deadlock"));
  }
}

TEST(Run, TextNamesTheSeedThatRepeatsIt) {
  const Outcome outcome =
      pto2({"run", "vector_example", "--executor", "seeded", "--seed", "7", "--input-seed", "3"});
  EXPECT_THAT(outcome.out, HasSubstr("seeded, seed 7\n"));
}

/// Its result is right for the inputs that it leaves.
TEST(Run, AKernelThatClearsItsInputsIsWrong) {
  const TemporaryFolder folder;
  const std::string kernels = folder.path("kernels");
  std::filesystem::copy(images() + "/vector_example/kernels", kernels,
                        std::filesystem::copy_options::recursive);
  std::filesystem::copy_file(std::string(TEST_IMAGES) + "/clear_kernel.so", kernels + "/0_add.so",
                             std::filesystem::copy_options::overwrite_existing);
  const Outcome outcome =
      pto2({"run", "vector_example", "--kernels", kernels, "--json", folder.path("r.json")});
  EXPECT_EQ(outcome.code, 1) << outcome.out;
  const auto result = nlohmann::json::parse(read_text(folder.path("r.json")));
  EXPECT_EQ(result["verdict"], "fail");
  EXPECT_EQ(result["detail"], "input a was changed; tasks may only read it");
  EXPECT_TRUE(result["max_abs_error"].is_null());
}

TEST(Run, SeededRunsCountPoints) {
  const auto json =
      passing({"paged_attention", "--case", "Case3", "--executor", "seeded", "--seed", "3"});
  EXPECT_EQ(json["tasks"], 33);
  EXPECT_TRUE(json["kernel_s"].is_null());
  EXPECT_EQ(json["config"]["seed"], 3);
}

TEST(Run, ResultsTakeThePlaceOfEarlierOnes) {
  const TemporaryFolder folder;
  const std::string result = folder.file("r.json", std::string(100'000, 'x'));
  std::filesystem::permissions(
      result, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  std::filesystem::create_symlink("r.json", folder.path("link"));
  EXPECT_EQ(pto2({"run", "vector_example", "--json", folder.path("link")}).code, 0);
  EXPECT_EQ(nlohmann::json::parse(read_text(result))["verdict"], "pass");
  EXPECT_TRUE(std::filesystem::is_symlink(folder.path("link")));
  EXPECT_EQ(std::filesystem::status(result).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  const Outcome through_stdout =
      pto2({"run", "vector_example", "--quiet", "--json", "/dev/stdout"});
  EXPECT_EQ(through_stdout.json()["verdict"], "pass");
}

}  // namespace
}  // namespace pto2::test
