// The device that settings ask for, and settings that do not fit each other.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/given_settings.hpp"

namespace pto2::cli {
namespace {

using testing::StartsWith;

struct ConfigRefusal {
  ExitCode code = exit_pass;
  std::string text;
};

ConfigRefusal config_refusal(const Settings& settings) {
  try {
    (void)settings.device_config();
  } catch (const CliError& error) {
    return {error.code(), error.what()};
  }
  return {};
}

TEST(DeviceConfigOf, SettingsHasEachWhereItBelongs) {
  const DeviceConfig config = given({{"workload", "vector_example"},
                                     {"rings", "2"},
                                     {"window", "32"},
                                     {"heap", "1M"},
                                     {"dep-pool", "64"},
                                     {"tensormap-pool", "128"},
                                     {"shards", "5"},
                                     {"blocks", "7"},
                                     {"schedulers", "6"},
                                     {"accelerators", "3"},
                                     {"platform", "a5sim"},
                                     {"fan-out", "lock"}})
                                  .device_config();
  EXPECT_EQ(config.rings, 2U);
  EXPECT_EQ(config.window, 32U);
  EXPECT_EQ(config.heap_bytes, 1U << 20);
  EXPECT_EQ(config.dep_pool, 64U);
  EXPECT_EQ(config.tensormap_pool, 128U);
  EXPECT_EQ(config.shards, 5U);
  EXPECT_EQ(config.chip.name, "a5sim");
  EXPECT_EQ(config.chip.clusters, 7U);
  EXPECT_EQ(config.chip.schedulers, 6U);
  EXPECT_EQ(config.chip.accelerators, 3U);
  EXPECT_EQ(config.fan_out, FanOutKind::lock);
  EXPECT_EQ(given({{"workload", "vector_example"}}).device_config().fan_out, FanOutKind::word);
}

/// The device of a case of the workload of deadlocks.
DeviceConfig deadlock(const std::string& name, Given flags = {}, const Given& variables = {}) {
  flags["workload"] = "deadlock";
  flags["case"] = name;
  return given(flags, variables).device_config();
}

TEST(DeviceConfigOf, ACaseHasItsOwnSizesAndNoOthers) {
  const DeviceConfig usual;
  const auto sizes = [](const DeviceConfig& c) {
    return std::vector<uint64_t>{c.window, c.heap_bytes, c.dep_pool, c.tensormap_pool,
                                 c.chip.clusters};
  };
  const auto with = [&](std::size_t at, uint64_t size) {
    std::vector<uint64_t> all = sizes(usual);
    all[at] = size;
    return all;
  };
  EXPECT_EQ(sizes(deadlock("window")), with(0, 8));
  EXPECT_EQ(sizes(deadlock("heap")), with(1, 32 << 10));
  EXPECT_EQ(sizes(deadlock("dep_pool")), with(2, 16));
  EXPECT_EQ(sizes(deadlock("tensormap")), with(3, 16));
  EXPECT_EQ(sizes(deadlock("clusters")), with(4, 2));
  EXPECT_EQ(deadlock("clusters").chip.schedulers, 2U) << "as many as blocks";
}

TEST(DeviceConfigOf, TheBlocksOfACaseYieldToWhatIsGivenButNotToThePlatform) {
  EXPECT_EQ(deadlock("clusters", {{"platform", "a5sim"}}).chip.clusters, 2U);
  EXPECT_EQ(deadlock("clusters", {{"blocks", "5"}}).chip.clusters, 5U);
  EXPECT_EQ(deadlock("window", {{"platform", "a5sim"}}).chip.clusters, 36U);
  EXPECT_EQ(deadlock("tensormap", {}, {{"PTO2_TENSORMAP_POOL", "99"}}).tensormap_pool, 99U);
}

TEST(Expectation, IsAnyFaultButOurBug) {
  for (const char* name :
       {"pass", "flow_control_deadlock", "heap_ring_deadlock", "dependency_pool_overflow",
        "tensormap_overflow", "bad_submission", "orchestration_threw", "cluster_deadlock"}) {
    const Settings settings = given({{"workload", "deadlock"}, {"expect", name}});
    EXPECT_EQ(settings.text(Setting::expect), name);
  }
  for (const char* name : {"not_drained", "unknown", "ok", "fail", "fault"}) {
    EXPECT_THROW(given({{"workload", "deadlock"}, {"expect", name}}), CliError) << name;
  }
  EXPECT_EQ(given({{"workload", "deadlock"}}).text(Setting::expect), "");
}

TEST(Contradictions, AreBlamedOnTheSourceThatComesFirst) {
  const std::string text = ": with window 1048576, dep-pool 1048575 and rings 4 a task could have";
  const Given variables = {{"PTO2_RING_TASK_WINDOW", "1M"}, {"PTO2_RING_DEP_POOL", "1048575"}};
  ConfigRefusal found = config_refusal(given({{"workload", "paged_attention"}}, variables));
  EXPECT_EQ(found.code, exit_bad_input);
  EXPECT_THAT(found.text, StartsWith("environment variable PTO2_RING_TASK_WINDOW" + text));
  found =
      config_refusal(given({{"workload", "paged_attention"}, {"dep-pool", "1048575"}}, variables));
  EXPECT_EQ(found.code, exit_usage);
  EXPECT_THAT(found.text, StartsWith("--dep-pool" + text));
  found = config_refusal(given({{"workload", "paged_attention"}, {"window", "1M"}}, {},
                               {{"dep-pool", "1048575", "c.toml, line 1"}}));
  EXPECT_EQ(found.code, exit_usage);
  EXPECT_THAT(found.text, StartsWith("--window" + text));
}

TEST(Contradictions, BetweenBlocksAndSchedulersAreTheSchedulers) {
  const ConfigRefusal both = config_refusal(
      given({{"workload", "paged_attention"}, {"blocks", "2"}, {"schedulers", "8"}}));
  EXPECT_THAT(both.text, StartsWith("--schedulers: schedulers is 8"));
  const ConfigRefusal file =
      config_refusal(given({{"workload", "paged_attention"}, {"blocks", "2"}}, {},
                           {{"schedulers", "8", "c.toml, line 1"}}));
  EXPECT_THAT(file.text, StartsWith("--blocks: schedulers is 8"));
}

}  // namespace
}  // namespace pto2::cli
