#include "runtime/run/config.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/runtime/device/task_graph.hpp"

namespace pto2::test {
namespace {

using testing::HasSubstr;

/// The text that validate() throws for the default with one change, or nothing.
template <class Change>
std::string refusal(Change change) {
  DeviceConfig config;
  change(config);
  try {
    validate(config);
  } catch (const ConfigError& e) {
    return e.what();
  }
  return {};
}

TEST(DeviceConfig, DefaultsAndLimitsAreValid) {
  EXPECT_NO_THROW(validate(DeviceConfig{}));
  EXPECT_NO_THROW(validate(small_device()));
  EXPECT_NO_THROW(validate(tiny_device()));
  EXPECT_EQ(refusal([](auto& c) { c.window = 1 << 20; }), "");
  EXPECT_EQ(refusal([](auto& c) { c.dep_pool = (1 << 20) - 1; }), "");
  EXPECT_EQ(refusal([](auto& c) { c.heap_bytes = uint64_t{1} << 40; }), "");
}

TEST(DeviceConfig, EachRefusalNamesSettingValueAndRange) {
  EXPECT_THAT(refusal([](auto& c) { c.rings = 0; }), HasSubstr("rings is 0"));
  EXPECT_THAT(refusal([](auto& c) { c.rings = 5; }), HasSubstr("1..4"));
  EXPECT_THAT(refusal([](auto& c) { c.window = 2; }), HasSubstr("window is 2"));
  EXPECT_THAT(refusal([](auto& c) { c.window = 48; }), HasSubstr("32 or 64"));
  EXPECT_THAT(refusal([](auto& c) { c.window = 1 << 21; }), HasSubstr("1048576"));
  EXPECT_THAT(refusal([](auto& c) { c.heap_bytes = 1023; }), HasSubstr("heap is 1023"));
  EXPECT_THAT(refusal([](auto& c) { c.heap_bytes = (uint64_t{1} << 40) + 1; }), HasSubstr("heap"));
  EXPECT_THAT(refusal([](auto& c) { c.dep_pool = 15; }), HasSubstr("dep-pool is 15"));
  EXPECT_THAT(refusal([](auto& c) { c.dep_pool = 1 << 20; }), HasSubstr("dep-pool"));
  EXPECT_THAT(refusal([](auto& c) { c.tensormap_pool = 15; }), HasSubstr("tensormap-pool"));
  EXPECT_THAT(refusal([](auto& c) { c.tensormap_buckets = 3; }), HasSubstr("power of two"));
  EXPECT_THAT(refusal([](auto& c) { c.shards = 0; }), HasSubstr("shards is 0"));
  EXPECT_THAT(refusal([](auto& c) { c.shards = 65; }), HasSubstr("shards is 65"));
  EXPECT_THAT(refusal([](auto& c) { c.shard_capacity = 1; }), HasSubstr("shard-capacity is 1"));
  EXPECT_THAT(refusal([](auto& c) { c.shard_capacity = 6; }), HasSubstr("power of two"));
  EXPECT_THAT(refusal([](auto& c) { c.orchestrator_queue = 1; }), HasSubstr("orchestrator-queue"));
  EXPECT_THAT(refusal([](auto& c) { c.chip.clusters = 0; }), HasSubstr("blocks is 0"));
  EXPECT_THAT(refusal([](auto& c) { c.chip.clusters = 1025; }), HasSubstr("blocks is 1025"));
  EXPECT_THAT(refusal([](auto& c) { c.chip.schedulers = 0; }), HasSubstr("schedulers is 0"));
  EXPECT_THAT(refusal([](auto& c) { c.chip.schedulers = 25; }), HasSubstr("24"));
}

TEST(DeviceConfig, NoTaskCanHaveTooManyConsumers) {
  // Three schedulers may each complete one task more, whose slot and node are another's by then.
  constexpr uint32_t most = (1 << 20) - 4 - 3;
  const auto with = [](uint32_t rings, uint32_t window, uint32_t dep_pool) {
    return refusal([&](auto& c) {
      c.rings = rings;
      c.window = window;
      c.dep_pool = dep_pool;
    });
  };
  EXPECT_EQ(with(1, 1 << 20, most), "");
  EXPECT_THAT(with(1, 1 << 20, most + 1), HasSubstr("could have 1048570 consumers"));
  EXPECT_THAT(with(2, 1 << 19, 1 << 19), HasSubstr("could have 1048574 consumers"));
  EXPECT_EQ(with(2, 1 << 19, most / 2), "");
  EXPECT_EQ(with(4, 1 << 20, most / 4), "");
  EXPECT_THAT(with(4, 1 << 20, most / 4 + 1), HasSubstr("smaller window or dep-pool"));
  EXPECT_THAT(with(3, 1 << 19, 1 << 19), HasSubstr("could have 1572861 consumers"));
}

TEST(DeviceConfig, LaunchRefusesWhatValidateRefuses) {
  DeviceConfig config = small_device();
  config.window = 5;
  const Launch nothing{{}, [](PTO2Runtime*) {}, {}};
  EXPECT_THROW((void)launch(config, {}, nothing), ConfigError);
  EXPECT_THROW((void)launch(config, executors::SeededOptions{}, nothing), ConfigError);
}

}  // namespace
}  // namespace pto2::test
