// What the settings of a run make of its executor.
#include "runtime/cli/executor_settings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/cli/settings.hpp"
#include "tests/cli/given_settings.hpp"

namespace pto2::cli {
namespace {

using executors::Executor;
using executors::SeededOptions;
using executors::TeamOptions;

TEST(ExecutorSettings, EachNameGivesItsTeam) {
  const LaunchTeam usual = team_of(executor_of(given({})));
  EXPECT_EQ(std::get<TeamOptions>(usual).executor, Executor::packed);
  EXPECT_EQ(std::get<TeamOptions>(usual).host_threads, 0U);
  const LaunchTeam packed =
      team_of(executor_of(given({{"executor", "packed"}, {"host-threads", "5"}})));
  EXPECT_EQ(std::get<TeamOptions>(packed).executor, Executor::packed);
  EXPECT_EQ(std::get<TeamOptions>(packed).host_threads, 5U);
  const LaunchTeam threads = team_of(executor_of(given({{"executor", "threads"}})));
  EXPECT_EQ(std::get<TeamOptions>(threads).executor, Executor::threads);
  const LaunchTeam seeded = team_of(executor_of(given({{"executor", "seeded"}, {"seed", "7"}})));
  EXPECT_EQ(std::get<SeededOptions>(seeded).seed, 7U);
}

TEST(ExecutorSettings, ASeededTeamAloneIsASimulation) {
  for (const char* executor : {"packed", "threads"}) {
    EXPECT_EQ(simulation(team_of(executor_of(given({{"executor", executor}})))), nullptr);
  }
  EXPECT_NE(simulation(team_of(executor_of(given({{"executor", "seeded"}})))), nullptr);
}

TEST(ExecutorSettings, FlagsOfAnotherExecutorAreRefused) {
  const std::pair<const char*, const char*> owners[] = {{"seed", "seeded"},
                                                        {"host-threads", "packed"}};
  for (const auto& [flag, owner] : owners) {
    for (const std::string executor : {"packed", "threads", "seeded"}) {
      const Settings settings = given({{"executor", executor}, {flag, "1"}});
      if (executor == owner) {
        EXPECT_NO_THROW(check_executor_flags(settings)) << flag;
      } else {
        EXPECT_THROW(check_executor_flags(settings), CliError) << flag << " on " << executor;
      }
    }
  }
}

}  // namespace
}  // namespace pto2::cli
