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

/// The code and the text of the refusal; 0 and nothing if there is none.
std::pair<int, std::string> refusal(const Settings& settings) {
  try {
    check_executor_flags(settings);
  } catch (const CliError& error) {
    return {error.code(), error.what()};
  }
  return {};
}

TEST(ExecutorSettings, TheLockIsRefusedOnWeakMemory) {
  for (const ExecutorRow& row : executor_table()) {
    const int lock = row.weak_memory ? exit_usage : exit_pass;
    EXPECT_EQ(refusal(given({{"executor", row.name}, {"fan-out", "lock"}})).first, lock);
    EXPECT_EQ(refusal(given({{"executor", row.name}, {"fan-out", "word"}})).first, exit_pass);
  }
}

TEST(ExecutorSettings, ARefusalNamesWhoHasChosenLast) {
  const ConfigEntry lock{"fan-out", "lock", "mine.toml, line 2"};
  const ConfigEntry pct{"executor", "pct", "mine.toml, line 1"};
  const std::string why =
      ": executor pct runs the fan-out word alone; lock is for packed, threads, seeded";
  using Refusal = std::pair<int, std::string>;
  EXPECT_EQ(refusal(given({{"executor", "pct"}, {"fan-out", "lock"}})),
            Refusal(exit_usage, "--fan-out" + why));
  EXPECT_EQ(refusal(given({{"executor", "pct"}}, {}, {lock})),
            Refusal(exit_usage, "--executor" + why));
  EXPECT_EQ(refusal(given({{"fan-out", "lock"}}, {}, {pct})),
            Refusal(exit_usage, "--fan-out" + why));
  EXPECT_EQ(refusal(given({}, {}, {pct, lock})),
            Refusal(exit_bad_input, "mine.toml, line 2, fan-out" + why));
}

}  // namespace
}  // namespace pto2::cli
