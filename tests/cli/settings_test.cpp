// Where settings come from, and what is said about bad ones.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "tests/cli/program.hpp"

namespace pto2::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

using Value = std::pair<std::string, std::string>;  ///< value and source

/// What --print-config says.
std::map<std::string, Value> config_of(Strings arguments, const Strings& environment = {}) {
  arguments.insert(arguments.begin(), "run");
  arguments.insert(arguments.end(), {"--print-config", "--json", "-"});
  const Outcome outcome = pto2(arguments, environment);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  std::map<std::string, Value> config;
  const nlohmann::json json = outcome.json();
  for (const auto& setting : json["settings"]) {
    config[setting["name"]] = {setting["value"], setting["source"]};
  }
  return config;
}

TEST(Settings, FlagOverEnvironmentOverFileOverCaseOverDefault) {
  const TemporaryFolder folder;
  const std::string file = folder.file("c.toml", "window = 32\n");
  const Strings variable = {"PTO2_RING_TASK_WINDOW=64"};
  Strings arguments = {"paged_attention_seq"};
  EXPECT_EQ(config_of(arguments)["window"], Value("65536", "default"));
  arguments.insert(arguments.end(), {"--case", "TaskRing"});
  EXPECT_EQ(config_of(arguments)["window"], Value("16", "case"));
  arguments.insert(arguments.end(), {"--config", file});
  EXPECT_EQ(config_of(arguments)["window"], Value("32", "config file"));
  EXPECT_EQ(config_of(arguments, variable)["window"], Value("64", "environment"));
  arguments.insert(arguments.end(), {"--window", "128"});
  EXPECT_EQ(config_of(arguments, variable)["window"], Value("128", "flag"));
}

TEST(Settings, ACaseBringsAllItsSizes) {
  auto config = config_of({"paged_attention_seq", "--case", "TaskRing"});
  EXPECT_EQ(config["window"], Value("16", "case"));
  EXPECT_EQ(config["heap"], Value("1048576", "case"));
  EXPECT_EQ(config["dep-pool"], Value("256", "case"));
}

TEST(Settings, EveryVariableIsRead) {
  auto config = config_of(
      {"paged_attention"},
      {"PTO2_RING_TASK_WINDOW=32", "PTO2_RING_HEAP=4M", "PTO2_RING_DEP_POOL=99",
       "PTO2_TENSORMAP_POOL=77", "PTO2_READY_QUEUE_SHARDS=5", "PA_CASE=Case3", "PA_SEQ_LEN=7"});
  const std::pair<const char*, const char*> expected[] = {
      {"window", "32"}, {"heap", "4194304"}, {"dep-pool", "99"}, {"tensormap-pool", "77"},
      {"shards", "5"},  {"case", "Case3"},   {"seq-lens", "7"}};
  for (const auto& [name, value] : expected) {
    EXPECT_EQ(config[name], Value(value, "environment")) << name;
  }
}

TEST(Settings, EmptyVariablesAndThoseOfOtherWorkloadsDoNotCount) {
  EXPECT_EQ(config_of({"paged_attention"}, {"PTO2_RING_HEAP="})["heap"].second, "default");
  EXPECT_EQ(config_of({"vector_example"}, {"PA_CASE=Case3", "PA_SEQ_LEN=7"})["case"].second,
            "default");
}

TEST(Settings, AFileHoldsAnySetting) {
  const TemporaryFolder folder;
  const std::string file = folder.file("c.toml", R"(
workload = "paged_attention"
case = "CaseVarSeq2"
[run]
heap = "4M"
dep_pool = 128
seq-lens = [20, 30]
scale = 0.5
executor = "threads"
isolate = true
replay-graph = false
)");
  auto config = config_of({"--config", file});
  const std::pair<const char*, const char*> expected[] = {{"workload", "paged_attention"},
                                                          {"case", "CaseVarSeq2"},
                                                          {"heap", "4194304"},
                                                          {"dep-pool", "128"},
                                                          {"seq-lens", "20,30"},
                                                          {"scale", "0.5"},
                                                          {"executor", "threads"},
                                                          {"isolate", "on"},
                                                          {"replay-graph", "off"}};
  for (const auto& [name, value] : expected) {
    EXPECT_EQ(config[name], Value(value, "config file")) << name;
  }
  const Outcome run = pto2({"run", "--config", file, "--json", "-"});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(run.json()["config"]["seq_lens"], nlohmann::json({20, 30}));
}

TEST(Settings, PrintConfigIsReadable) {
  const Outcome outcome =
      pto2({"run", "paged_attention", "--print-config", "--window", "1K"}, {"PTO2_RING_HEAP=1M"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(outcome.out, testing::ContainsRegex("window +1024 +flag .--window."));
  EXPECT_THAT(outcome.out, testing::ContainsRegex("heap +1048576 +environment .PTO2_RING_HEAP."));
}

struct Bad {
  Strings arguments;
  Strings said;  ///< the name of the source, the value, what is allowed
};

TEST(BadFlags, AreUsageErrors) {
  const Bad all[] = {
      {{"--window", "12"}, {"--window", "'12'", "power of two in 4..1M"}},
      {{"--window", "2"}, {"--window", "'2'", "4..1M"}},
      {{"--window", "2M"}, {"--window", "'2M'", "4..1M"}},
      {{"--window", "-8"}, {"--window"}},
      {{"--heap", "1023"}, {"--heap", "'1023'", "1K..1024G"}},
      {{"--heap", "17179869185G"}, {"--heap", "'17179869185G'", "1K..1024G"}},  // 1G modulo 2^64
      {{"--heap", "18446744073709551617"}, {"--heap", "1K..1024G"}},
      {{"--heap", "1T"}, {"--heap", "K, M or G"}},
      {{"--heap", "G"}, {"--heap", "'G'"}},
      {{"--heap", ""}, {"--heap", "''"}},
      {{"--dep-pool", "1M"}, {"--dep-pool", "16..1048575"}},
      {{"--tensormap-pool", "x"}, {"--tensormap-pool", "'x'", "16..1G"}},
      {{"--shards", "0.5"}, {"--shards", "'0.5'", "a whole number in 1..64"}},
      {{"--shards", "1K"}, {"--shards", "'1K'"}},
      {{"--rings", "5"}, {"--rings", "1..4"}},
      {{"--schedulers", "25"}, {"schedulers is 25", "24", "fewer schedulers or more blocks"}},
      {{"--blocks", "1025"}, {"--blocks", "1..1024"}},
      {{"--fan-out", "queue"}, {"--fan-out", "'queue'", "word or lock"}},
      {{"--executor", "fast"}, {"--executor", "'fast'", "packed or threads or seeded"}},
      {{"--executor", "packed,threads"}, {"--executor", "packed or threads or seeded"}},
      {{"--runtime", "other"}, {"--runtime", "tensormap_and_ringbuffer"}},
      {{"--platform", "a6sim"}, {"--platform", "'a6sim'", "a2a3sim"}},
      {{"--seed", "1"}, {"--seed", "--executor seeded"}},
      {{"--executor", "seeded", "--seed", "x"}, {"--seed", "'x'"}},
      {{"--executor", "threads", "--host-threads", "2"}, {"--host-threads", "--executor packed"}},
      {{"--seq-lens", "33,,1"}, {"--seq-lens", "'33,,1'", "separated by commas"}},
      {{"--seq-lens", "257"}, {"--seq-lens", "257", "1..256"}},
      {{"--seq-lens", "1,2"}, {"--seq-lens", "2 sequence lengths"}},
      {{"--scale", "inf"}, {"--scale", "'inf'", "finite"}},
      {{"--repeat", "0"}, {"--repeat", "1..1000000"}},
      {{"--trace-events", "0"}, {"--trace-events", "1..1G"}},
      {{"--log-level", "loud"}, {"--log-level", "error or warn or info or debug"}},
      {{"--case", "Case9"}, {"--case", "'Case9'", "CaseBatch256"}},
      {{"--arg", "scalar:1"}, {"--arg needs --orchestration"}},
      {{"--frobnicate"}, {"--frobnicate"}},
      {{"--window", "8", "--window", "16"}, {"--window"}},
      {{"another"}, {"another"}},
  };
  for (const Bad& bad : all) {
    Strings arguments = {"run", "paged_attention"};
    arguments.insert(arguments.end(), bad.arguments.begin(), bad.arguments.end());
    const Outcome outcome = pto2(arguments);
    EXPECT_EQ(outcome.code, 2) << bad.arguments.back();
    EXPECT_THAT(outcome.out, IsEmpty());
    for (const std::string& text : bad.said) EXPECT_THAT(outcome.err, HasSubstr(text));
  }
}

TEST(BadFlags, AScaleIsOneThatKernelsCanHave) {
  const auto told_of = [](const char* scale) {
    const Outcome outcome = pto2({"run", "paged_attention", "--scale", scale});
    EXPECT_EQ(outcome.code, 2) << scale;
    return outcome.err;
  };
  EXPECT_THAT(told_of("1e-50"), AllOf(HasSubstr("'1e-50'"), HasSubstr("that a float holds")));
  for (const char* scale : {"101", "-101"}) EXPECT_THAT(told_of(scale), HasSubstr("beyond 100:"));
}

TEST(BadFlags, UnknownWorkloadsAndCommandsListTheKnown) {
  const Outcome workload = pto2({"run", "gemm"});
  EXPECT_EQ(workload.code, 2);
  EXPECT_THAT(workload.err, AllOf(HasSubstr("'gemm'"), HasSubstr("paged_attention_seq")));
  for (const Strings& arguments : {Strings{}, Strings{"fly"}, Strings{"--fly"}}) {
    const Outcome command = pto2(arguments);
    EXPECT_EQ(command.code, 2);
    EXPECT_THAT(command.err, HasSubstr("pto2 --help"));
  }
  EXPECT_EQ(pto2({"run"}).code, 2);
}

TEST(BadFlags, OptionsThatAWorkloadLacksNameThoseThatHaveThem) {
  for (const Strings& arguments :
       {Strings{"run", "vector_example", "--scale", "2"},
        Strings{"run", "--scale", "2", "--orchestration", "o.so", "--kernels", "k"},
        Strings{"run", "vector_example", "--scale", "2", "--print-config"}}) {
    const Outcome outcome = pto2(arguments);
    EXPECT_EQ(outcome.code, 2);
    EXPECT_EQ(outcome.out, "");
    EXPECT_THAT(outcome.err, AllOf(HasSubstr("--scale: "), HasSubstr("has no option scale"),
                                   HasSubstr("paged_attention, paged_attention_seq")));
  }
}

TEST(BadFlags, ACaseNeedsAWorkload) {
  for (const char* more : {"--quiet", "--print-config"}) {
    const Outcome outcome =
        pto2({"run", "--case", "CaseBatch256", "--orchestration", "o.so", "--kernels", "k", more});
    EXPECT_EQ(outcome.code, 2);
    EXPECT_EQ(outcome.out, "");
    EXPECT_THAT(outcome.err, HasSubstr("--case: a run without a workload has no cases"));
  }
}

TEST(BadVariables, AreBadInput) {
  const std::pair<const char*, const char*> all[] = {{"PTO2_RING_TASK_WINDOW", "15"},
                                                     {"PTO2_RING_HEAP", "much"},
                                                     {"PTO2_RING_DEP_POOL", "1"},
                                                     {"PTO2_TENSORMAP_POOL", "1e9"},
                                                     {"PTO2_READY_QUEUE_SHARDS", "65"},
                                                     {"PA_CASE", "Case9"},
                                                     {"PA_SEQ_LEN", "1;2"}};
  for (const auto& [name, value] : all) {
    const std::string variable = std::string(name) + "=" + value;
    const Outcome outcome = pto2({"run", "paged_attention"}, {variable});
    EXPECT_EQ(outcome.code, 3) << name;
    EXPECT_THAT(outcome.err, AllOf(HasSubstr(std::string("environment variable ") + name),
                                   HasSubstr(std::string("'") + value + "'")));
  }
  // The variable is to blame, not the flag of another option.
  const Outcome unfit = pto2({"run", "paged_attention", "--scale", "2"}, {"PA_SEQ_LEN=257"});
  EXPECT_EQ(unfit.code, 3);
  EXPECT_THAT(unfit.err, HasSubstr("environment variable PA_SEQ_LEN: case Case1: "));
  const Outcome outranked =
      pto2({"run", "paged_attention", "--heap", "1M"}, {"PTO2_RING_HEAP=much"});
  EXPECT_EQ(outranked.code, 3);
}

TEST(BadFiles, AreBadInput) {
  const TemporaryFolder folder;
  const std::pair<const char*, const char*> all[] = {
      {"window = 12", "line 1, window: '12'"},
      {"\nwindow = [1, \"a\"]", "line 2: the value of window"},
      {"window = 1979-05-27", "the value of window must be a string, a number, a boolean"},
      {"window = true", "line 1, window: 'on'"},
      {"windo = 16", "there is no setting windo"},
      {"window = ", "no TOML"},
      {"[check]\nseeds = 1", "table [check]"},
      {"dep-pool = 32\n[run]\ndep_pool = 64", "given twice"},
      {"workload = \"no_such\"", "no workload is called 'no_such'; there are "}};
  for (const auto& [content, said] : all) {
    const std::string file = folder.file("bad.toml", content);
    const Outcome outcome = pto2({"run", "--config", file});
    EXPECT_EQ(outcome.code, 3) << content;
    EXPECT_THAT(outcome.err, AllOf(HasSubstr("bad.toml"), HasSubstr(said)));
  }
  const Outcome missing = pto2({"run", "--config", folder.path("none.toml")});
  EXPECT_EQ(missing.code, 3);
  EXPECT_THAT(missing.err, HasSubstr("none.toml"));
  const Outcome of_folder = pto2({"run", "--config", folder.path()});
  EXPECT_EQ(of_folder.code, 3);
  EXPECT_THAT(of_folder.err, HasSubstr("is a directory"));
  const Outcome of_device = pto2({"run", "--config", "/dev/zero"});
  EXPECT_EQ(of_device.code, 3);
  EXPECT_THAT(of_device.err, HasSubstr("/dev/zero: is neither a file nor a pipe"));
}

TEST(ConfigFile, MayBeEmptyOrAPipe) {
  const TemporaryFolder folder;
  EXPECT_EQ(config_of({"vector_example", "--config", folder.file("empty.toml", "")})["window"],
            config_of({"vector_example"})["window"]);
  const auto through_pipe = [](const std::string& writer) {
    const std::string command =
        writer + " | \"$0\" run vector_example --config /dev/stdin --print-config";
    return run_program("/bin/sh", {"-c", command, PTO2_PROGRAM});
  };
  const Outcome of_pipe = through_pipe("(printf 'window = '; sleep 0.1; echo 32)");
  EXPECT_EQ(of_pipe.code, 0) << of_pipe.err;
  EXPECT_THAT(of_pipe.out, testing::ContainsRegex("window +32 +config file"));
  const Outcome of_all =
      run_program("/bin/sh", {"-c",
                              "echo window = 32 | \"$0\" run vector_example --all --quiet "
                              "--json - --config /dev/stdin",
                              PTO2_PROGRAM});
  EXPECT_THAT(of_all.out, HasSubstr("\"window\": 32")) << of_all.err;
  EXPECT_THAT(of_all.out, testing::Not(HasSubstr("\"window\": 65536")))
      << "each case has the settings";
  const Outcome of_endless = through_pipe("yes '# a comment'");
  EXPECT_EQ(of_endless.code, 3);
  EXPECT_THAT(of_endless.err, HasSubstr("has more than 16 MiB"));
}

TEST(Limits, OfTheProcessAreToldApartFromBugs) {
  if (!address_space_is_ours) GTEST_SKIP() << "the sanitizer needs the address space";
  const Strings shell = {"-c", "ulimit -v 2000000; exec \"$0\" run paged_attention", PTO2_PROGRAM};
  const Outcome memory = run_program("/bin/sh", shell);
  EXPECT_EQ(memory.code, 3);
  EXPECT_THAT(memory.err,
              AllOf(HasSubstr("out of memory"), HasSubstr("--heap, --window, "
                                                          "--dep-pool, --tensormap-pool")));
}

TEST(Limits, RefusedThreadsEndTheRun) {
  if (!address_space_is_ours) GTEST_SKIP() << "the sanitizer needs the address space";
  const Outcome outcome = run_program(
      "/bin/sh", {"-c",
                  "ulimit -v 4000000; exec \"$0\" run paged_attention --executor threads "
                  "--blocks 1024 --heap 1M",
                  PTO2_PROGRAM});
  EXPECT_EQ(outcome.code, 3);
  EXPECT_THAT(outcome.err, HasSubstr("ulimit -a"));
}

}  // namespace
}  // namespace pto2::test
