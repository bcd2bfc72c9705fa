// The options of workloads as settings of a run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/cli/settings.hpp"
#include "tests/cli/given_settings.hpp"

namespace pto2::cli {
namespace {

using testing::HasSubstr;
using workloads::OptionValue;

const Given attention = {{"workload", "paged_attention"}};
const Given example = {{"workload", "vector_example"}};

Given with(Given flags, const std::string& name, const std::string& value) {
  flags[name] = value;
  return flags;
}

struct Refusal {
  ExitCode code;
  std::string text;
};

template <class Action>
Refusal refusal(Action action) {
  try {
    static_cast<void>(action());
  } catch (const CliError& error) {
    return {error.code(), error.what()};
  }
  return {exit_pass, "accepted"};
}

/// What each source gives reaches the case, under the option's own name.
TEST(WorkloadOptions, ReachTheCase) {
  EXPECT_TRUE(given(attention).case_options().values.empty());
  EXPECT_TRUE(given({}).case_options().values.empty());
  const std::map<std::string, OptionValue> scale = {{"scale", 0.5f}};
  EXPECT_EQ(given(with(attention, "scale", "0.5")).case_options().values, scale);
  EXPECT_EQ(given(attention, {}, {{"scale", "0.5", "c.toml, line 1"}}).case_options().values,
            scale);
  const std::map<std::string, OptionValue> lengths = {{"seq-lens", std::vector<int64_t>{33, 17}}};
  EXPECT_EQ(given(attention, {{"PA_SEQ_LEN", "33,17"}}).case_options().values, lengths);
  EXPECT_EQ(given(with(attention, "input-seed", "9")).case_options().seed, 9U);
}

TEST(WorkloadOptions, OfAnotherWorkloadAreRefused) {
  const std::vector<ConfigEntry> file = {{"scale", "2", "c.toml, line 1"}};
  const auto by_flag = refusal([] { return given(with(example, "scale", "2")); });
  EXPECT_EQ(by_flag.code, exit_usage);
  EXPECT_EQ(by_flag.text,
            "--scale: workload vector_example has no option scale; it is one of paged_attention, "
            "paged_attention_seq");
  const auto by_file = refusal([&] { return given(example, {}, file); });
  EXPECT_EQ(by_file.code, exit_bad_input);
  EXPECT_THAT(by_file.text, HasSubstr("c.toml, line 1, scale: workload vector_example has no"));
  const auto alone = refusal([] { return given({{"seq-lens", "3"}}); });
  EXPECT_EQ(alone.code, exit_usage);
  EXPECT_THAT(alone.text, HasSubstr("--seq-lens: a run without a workload has no option seq-lens"));
  EXPECT_THAT(alone.text, HasSubstr("paged_attention_seq"));
}

TEST(WorkloadOptions, ACaseWithoutAWorkloadIsRefused) {
  const auto by_flag = refusal([] { return given({{"case", "Case1"}}); });
  EXPECT_EQ(by_flag.code, exit_usage);
  EXPECT_EQ(by_flag.text,
            "--case: a run without a workload has no cases; name a WORKLOAD, or leave it out");
  const auto by_file = refusal([] { return given({}, {}, {{"case", "Case1", "c.toml, line 1"}}); });
  EXPECT_EQ(by_file.code, exit_bad_input);
  EXPECT_THAT(by_file.text, HasSubstr("c.toml, line 1, case: a run without a workload"));
}

TEST(WorkloadOptions, VariablesCountForTheirWorkloadAlone) {
  const Given variables = {{"PA_CASE", "Case3"}, {"PA_SEQ_LEN", "7"}};
  const Settings own = given(attention, variables);
  EXPECT_EQ(own.text(Setting::case_name), "Case3");
  EXPECT_EQ(own.of_option("seq-lens").text, "7");
  EXPECT_EQ(own.of_option("seq-lens").source, Source::environment);
  const Settings other = given(example, variables);
  EXPECT_EQ(other.text(Setting::case_name), "Case1");
  EXPECT_EQ(other.of_option("seq-lens").source, Source::built_in);
  const Settings none = given({}, variables);
  EXPECT_EQ(none[Setting::case_name].source, Source::built_in);
  EXPECT_EQ(none.of_option("seq-lens").source, Source::built_in);
}

TEST(WorkloadOptions, AreCheckedThoughAnotherSourceOutranksThem) {
  const auto outranked = refusal([] {
    return given(with(attention, "seq-lens", "3"), {{"PA_SEQ_LEN", "0"}});
  });
  EXPECT_EQ(outranked.code, exit_bad_input);
  EXPECT_THAT(outranked.text, HasSubstr("environment variable PA_SEQ_LEN: '0' is not allowed"));
}

/// The options, and the settings of every run by their numbers, are where they are looked for.
TEST(WorkloadOptions, StandAmongTheSettingsOnce) {
  std::size_t options = 0;
  std::size_t next = 0;
  for (const SettingSpec& spec : setting_specs()) {
    if (spec.id) {
      EXPECT_EQ(static_cast<std::size_t>(*spec.id), next++) << spec.name;
      EXPECT_EQ(&spec_of(*spec.id), &spec);
    } else {
      EXPECT_STREQ(spec.option->name, spec.name);
      ++options;
    }
  }
  EXPECT_EQ(next, static_cast<std::size_t>(Setting::log_level) + 1);
  EXPECT_EQ(options, workloads::all_options().size());
}

TEST(WorkloadOptions, TheHelpNamesTheVariablesOfAllWorkloads) {
  EXPECT_EQ(variables_of(spec_of(Setting::case_name)), "PA_CASE");
  EXPECT_EQ(variables_of(spec_of(Setting::heap)), "PTO2_RING_HEAP");
  EXPECT_EQ(variables_of(spec_of(Setting::executor)), "");
  for (const SettingSpec& spec : setting_specs()) {
    if (spec.option != nullptr) {
      EXPECT_EQ(variables_of(spec), spec.name == std::string("seq-lens") ? "PA_SEQ_LEN" : "");
    }
  }
}

}  // namespace
}  // namespace pto2::cli
