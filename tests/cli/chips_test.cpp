// pto2 run --platform: chips that are known, and chips from files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "tests/cli/program.hpp"

namespace pto2::test {
namespace {

using Json = nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* five_blocks = "docs/chips/five_blocks.toml";

struct OnChip {
  const char* platform;
  const char* executor;
};

class Chips : public testing::TestWithParam<OnChip> {};

/// The platform, the names of its cores and the numbers of its threads reach the run.
TEST_P(Chips, RunPagedAttention) {
  const auto& [platform, executor] = GetParam();
  const bool five = platform == std::string(five_blocks);
  const Json chip = five ? Json{{"name", "five_blocks"},  {"blocks", 5},     {"cubes_per_block", 2},
                                {"vectors_per_block", 3}, {"schedulers", 2}, {"accelerators", 0}}
                         : Json{{"name", "a5sim"},        {"blocks", 36},    {"cubes_per_block", 1},
                                {"vectors_per_block", 2}, {"schedulers", 4}, {"accelerators", 0}};
  const std::size_t cores = five ? 25 : 108;
  const TemporaryFolder folder;
  const Outcome outcome =
      pto2({"run", "paged_attention", "--case", "CaseBatch256", "--platform", platform,
            "--executor", executor, "--trace", folder.path("t"), "--json", "-"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, IsEmpty());
  const Json result = outcome.json();
  EXPECT_EQ(result["verdict"], "pass");
  EXPECT_EQ(result["tasks"], 208);
  EXPECT_EQ(result["config"]["platform"], platform);
  EXPECT_EQ(result["config"]["chip"], chip);
  EXPECT_EQ(result["config"]["blocks"], chip["blocks"]);
  EXPECT_EQ(result["config"]["schedulers"], chip["schedulers"]);

  const std::string trace = read_text(folder.path("t"));
  const Json header = Json::parse(trace.substr(0, trace.find('\n')));
  EXPECT_EQ(header["chip"], chip);
  const std::size_t schedulers = chip["schedulers"];
  ASSERT_EQ(header["threads"].size(), 1 + schedulers + cores);
  EXPECT_EQ(header["threads"][schedulers], "scheduler" + std::to_string(schedulers - 1));
  EXPECT_EQ(header["threads"][schedulers + 1], "aic0");
  EXPECT_EQ(header["threads"][schedulers + cores], five ? "aiv14" : "aiv71");
}

INSTANTIATE_TEST_SUITE_P(
    Run, Chips,
    testing::Values(OnChip{"a5sim", "packed"}, OnChip{"a5sim", "threads"},
                    OnChip{"a5sim", "seeded"}, OnChip{five_blocks, "packed"},
                    OnChip{five_blocks, "threads"}, OnChip{five_blocks, "seeded"}),
    [](const auto& run) {
      return std::string(run.param.platform == std::string("a5sim") ? "a5" : "five_blocks") + "_" +
             run.param.executor;
    });

TEST(ChipFile, HasANameOfItsOwn) {
  const TemporaryFolder folder;
  const std::string file = folder.file("c.toml",
                                       "blocks = 1\ncubes_per_block = 1\nvectors_per_block = 1\n"
                                       "schedulers = 1\nname = \"a5sim\"\n");
  const Outcome outcome = pto2({"run", "vector_example", "--platform", file});
  EXPECT_EQ(outcome.code, 3);
  EXPECT_THAT(outcome.err, testing::HasSubstr("c.toml, line 5: a5sim is the name of a chip"));
}

/// What contradicts a chip is blamed on who said it.
TEST(ChipFile, AContradictionSaysWhere) {
  const TemporaryFolder folder;
  const std::string file =
      folder.file("c.toml", std::string("platform = \"") + five_blocks + "\"\nschedulers = 8\n");
  Outcome outcome = pto2({"run", "vector_example", "--config", file});
  EXPECT_EQ(outcome.code, 3);
  EXPECT_THAT(outcome.err, testing::HasSubstr("c.toml, line 2, schedulers: schedulers is 8"));
  for (const Strings& more : {Strings{}, Strings{"--print-config"}}) {
    Strings arguments = {"run", "vector_example", "--blocks", "2", "--schedulers", "8"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    outcome = pto2(arguments);
    EXPECT_EQ(outcome.code, 2);
    EXPECT_THAT(outcome.err, testing::HasSubstr("--schedulers: schedulers is 8"));
  }
}

TEST(ChipFile, AndOtherInputsAreNotOverwritten) {
  const TemporaryFolder folder;
  const std::string text = "window = 32\n";
  const std::string config = folder.file("c.toml", text);
  for (const Strings& more : {Strings{}, Strings{"--print-config"}}) {
    Strings arguments = {"run", "vector_example", "--config", config, "--json", config};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome outcome = pto2(arguments);
    EXPECT_EQ(outcome.code, 2);
    EXPECT_THAT(outcome.err, testing::HasSubstr("which --config reads"));
    EXPECT_EQ(read_text(config), text);
  }
  const std::string chip = folder.file("chip.toml", read_text(five_blocks));
  const Outcome outcome =
      pto2({"run", "vector_example", "--platform", chip, "--trace", folder.path("./chip.toml")});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, testing::HasSubstr("which --platform reads"));
  EXPECT_EQ(read_text(chip), read_text(five_blocks));
}

/// The settings of a run that begin with these arguments, as --print-config shows them.
Json settings_of(Strings arguments) {
  arguments.insert(arguments.begin(), {"run", "paged_attention", "--print-config", "--json", "-"});
  const Outcome outcome = pto2(arguments);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  Json config;
  const Json all = outcome.json();
  for (const Json& setting : all["settings"]) config[setting["name"]] = setting;
  return config;
}

void expect_setting(const Json& setting, const char* value, const char* source,
                    const char* origin) {
  EXPECT_EQ(setting["value"], value) << setting;
  EXPECT_EQ(setting["source"], source) << setting;
  EXPECT_EQ(setting["origin"], origin) << setting;
}

TEST(ChipSettings, ReplaceWhatThePlatformSays) {
  Json settings = settings_of({});
  expect_setting(settings["blocks"], "24", "default", "");
  expect_setting(settings["schedulers"], "3", "default", "");
  settings = settings_of({"--platform", "a5sim"});
  expect_setting(settings["blocks"], "36", "platform", "a5sim");
  expect_setting(settings["schedulers"], "4", "platform", "a5sim");
  settings = settings_of({"--platform", "a5sim", "--blocks", "2"});
  expect_setting(settings["blocks"], "2", "flag", "--blocks");
  expect_setting(settings["schedulers"], "2", "platform", "as many as blocks");
  const TemporaryFolder folder;
  const std::string file =
      folder.file("c.toml", std::string("schedulers = 3\nplatform = \"") + five_blocks + "\"\n");
  settings = settings_of({"--config", file});
  expect_setting(settings["blocks"], "5", "platform", "five_blocks");
  EXPECT_EQ(settings["schedulers"]["source"], "config file");
  EXPECT_EQ(settings["schedulers"]["value"], "3");
}

TEST(ChipSettings, MustFitThePlatform) {
  const Outcome schedulers =
      pto2({"run", "paged_attention", "--platform", five_blocks, "--schedulers", "6"});
  EXPECT_EQ(schedulers.code, 2);
  EXPECT_THAT(schedulers.err, AllOf(HasSubstr("schedulers is 6"), HasSubstr("there are 5")));
  const Outcome blocks =
      pto2({"run", "paged_attention", "--platform", five_blocks, "--blocks", "1024"});
  EXPECT_EQ(blocks.code, 2);
  EXPECT_THAT(blocks.err, AllOf(HasSubstr("--blocks: 1024 blocks"), HasSubstr("5120 cores"),
                                HasSubstr("at most 4096; use fewer blocks or cores per block\n")));
}

/// Of a chip that is full, and of one that is too large without any, which is no fault of theirs.
TEST(ChipSettings, AcceleratorsMustFitThePlatform) {
  const TemporaryFolder folder;
  const std::string full =
      folder.file("full.toml",
                  "name = \"full\"\nblocks = 32\ncubes_per_block = 64\nvectors_per_block = 64\n"
                  "schedulers = 32\n");
  Outcome outcome = pto2({"run", "vector_example", "--platform", full, "--accelerators", "1"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("--accelerators: 32 blocks of 128 cores and 1 accelerator are "
                                     "4097 cores, but a chip has at most 4096; use fewer blocks, "
                                     "cores per block or accelerators\n"));
  const std::string config = folder.file("c.toml", "platform = '" + full + "'\naccelerators = 1\n");
  outcome = pto2({"run", "vector_example", "--config", config});
  EXPECT_EQ(outcome.code, 3);
  EXPECT_THAT(outcome.err, HasSubstr("c.toml, line 2, accelerators: 32 blocks"));
  const std::string larger = folder.file("larger.toml", "platform = '" + full + "'\nblocks = 33\n");
  outcome = pto2({"run", "vector_example", "--config", larger, "--accelerators", "1"});
  EXPECT_EQ(outcome.code, 3);
  EXPECT_THAT(outcome.err, HasSubstr("larger.toml, line 2, blocks: 33 blocks"));
}

TEST(ChipSettings, BadPlatformsAreRefused) {
  const Outcome unknown = pto2({"run", "paged_attention", "--platform", "a3"});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("--platform: 'a3' is not allowed; it must be a2a3sim or a5sim "
                                     "or a chip file NAME.toml"));
  const TemporaryFolder folder;
  const Outcome missing = pto2({"run", "paged_attention", "--platform", folder.path("none.toml")});
  EXPECT_EQ(missing.code, 3);
  EXPECT_THAT(missing.err, HasSubstr("none.toml: cannot be opened"));
  const Outcome wrong = pto2({"run", "paged_attention", "--platform",
                              folder.file("wrong.toml", "name = \"x\"\nblocks = 0\n")});
  EXPECT_EQ(wrong.code, 3);
  EXPECT_THAT(wrong.err, HasSubstr("wrong.toml, line 2: blocks is 0"));
}

TEST(ChipSettings, PlatformsAreListed) {
  const Outcome list = pto2({"list"});
  EXPECT_THAT(list.out, AllOf(HasSubstr("platforms"), HasSubstr("a5sim             36 blocks of 1 "
                                                                "cube and 2 vector cores")));
  const Json platforms = pto2({"list", "--json"}).json()["platforms"];
  ASSERT_EQ(platforms.size(), 2U);
  EXPECT_EQ(platforms[1]["name"], "a5sim");
  EXPECT_EQ(platforms[1]["blocks"], 36);
  EXPECT_THAT(
      pto2({"run", "--help"}).out,
      AllOf(HasSubstr("a2a3sim or a5sim or a chip file NAME.toml"), HasSubstr("docs/CHIPS.md")));
  EXPECT_THAT(pto2({"doctor"}).out, AllOf(HasSubstr("platforms"), HasSubstr("a5sim: 36 blocks")));
}

TEST(ChipSettings, DoctorWarnsOfTooFewThreads) {
  // 113 for a5sim, and two of the program's own.
  Outcome outcome = run_program("/usr/bin/prlimit", {"--nproc=114", PTO2_PROGRAM, "doctor"});
  EXPECT_THAT(outcome.out, testing::ContainsRegex("warn +platforms .*114 threads are allowed"));
  outcome = run_program("/usr/bin/prlimit", {"--nproc=115", PTO2_PROGRAM, "doctor"});
  EXPECT_THAT(outcome.out, testing::ContainsRegex("ok +platforms "));
}

}  // namespace
}  // namespace pto2::test
