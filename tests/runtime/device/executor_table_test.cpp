#include "runtime/device/executor_table.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace pto2 {
namespace {

using executors::SeededOptions;
using executors::Strategy;

SeededOptions schedule_of(ExecutorKind executor, uint64_t seed) {
  return std::get<SeededOptions>(
      team_of({.executor = executor, .seed = seed, .max_points = 12'345}));
}

TEST(ExecutorTable, RowsAreFoundByWhatTheySay) {
  for (const ExecutorRow& row : executor_table()) {
    EXPECT_EQ(&row_of(row.executor), &row);
    EXPECT_EQ(executor_named(row.name), row.executor);
    if (is_simulated(row.executor)) {
      EXPECT_EQ(executor_with_strategy(row.strategy), row.executor);
    }
  }
  EXPECT_THROW((void)executor_named("sc"), std::invalid_argument);
  EXPECT_THROW((void)executor_with_strategy("packed"), std::invalid_argument);
  EXPECT_THROW((void)executor_with_strategy(""), std::invalid_argument);
}

TEST(ExecutorTable, ASimulationHasItsStrategyAndItsSeed) {
  EXPECT_EQ(schedule_of(ExecutorKind::seeded, 1).strategy, Strategy::mixed);
  EXPECT_EQ(schedule_of(ExecutorKind::random, 1).strategy, Strategy::random);
  EXPECT_EQ(schedule_of(ExecutorKind::pct, 1).strategy, Strategy::pct);
  EXPECT_EQ(schedule_of(ExecutorKind::bursts, 1).strategy, Strategy::bursts);
  EXPECT_EQ(schedule_of(ExecutorKind::pct, 7).seed, 7U);
  EXPECT_EQ(schedule_of(ExecutorKind::pct, 7).max_points, 12'345U);
}

TEST(ExecutorTable, HostsOfALaunchMayJoinUnlessTheyAreToldNotTo) {
  const auto packed = [](bool may_join) {
    return std::get<executors::TeamOptions>(
        team_of({.executor = ExecutorKind::packed, .host_threads = 2, .may_join = may_join}));
  };
  EXPECT_TRUE(ExecutorOptions{}.may_join);
  EXPECT_TRUE(packed(true).may_join);
  EXPECT_FALSE(packed(false).may_join);
  EXPECT_EQ(packed(true).host_threads, 2U);
}

/// Weak memory is known by the fan-out that it does not have.
TEST(ExecutorTable, WhatHasWeakMemoryRunsOnIt) {
  DeviceConfig config;
  config.chip.clusters = 1;
  config.chip.schedulers = 1;
  config.fan_out = FanOutKind::lock;
  const Launch nothing{{}, [](PTO2Runtime*) {}, {}};
  for (const ExecutorRow& row : executor_table()) {
    if (row.weak_memory) {
      EXPECT_THROW((void)launch({.executor = row.executor}, config, nothing), ConfigError)
          << row.name;
    } else {
      EXPECT_EQ(launch({.executor = row.executor}, config, nothing).error.code, ErrorCode::ok)
          << row.name;
    }
  }
}

}  // namespace
}  // namespace pto2
