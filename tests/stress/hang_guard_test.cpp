/// Hangs on purpose: the program must end with a report that names the thread that waits.
#include "stress/hang_guard.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "runtime/executors/hardware.hpp"
#include "runtime/output/exit_codes.hpp"

namespace pto2::stress {
namespace {

using namespace std::chrono_literals;
using executors::Executor;
using executors::Team;
using executors::TeamOptions;
using std::chrono::milliseconds;

/// Who runs the tests may have set another limit.
class HangLimits : public testing::Test {
 protected:
  void SetUp() override { unsetenv("PTO2_HANG_SECONDS"); }
};

class HangGuards : public HangLimits {
 protected:
  void SetUp() override {
    HangLimits::SetUp();
    GTEST_FLAG_SET(death_test_style, "threadsafe");
  }
};

/// One thread ends, the other waits for a ring that never comes.
void hang(const TeamOptions& options) {
  const HangGuard guard("on purpose", 300ms);
  Team team(options);
  team.add("ended", 1, [] {});
  team.add("forgotten", 1, [] { executors::Hardware::await([] { return false; }); });
  team.run();
}

TEST_F(HangGuards, AHangOfThePackedExecutorIsReported) {
  EXPECT_DEATH(hang({.executor = Executor::packed, .host_threads = 2}),
               "hang: on purpose: nothing has ended for .*\n"
               "packed executor, 1 of 2 threads have finished\n"
               "  host 0: asleep\n"
               "  host 1: asleep\n"
               "  forgotten \\(host 1\\): waits to be rung\n");
}

TEST_F(HangGuards, AHangOfTheThreadsExecutorIsReported) {
  EXPECT_DEATH(hang({.executor = Executor::threads}),
               "threads executor, 1 of 2 threads have finished\n"
               "  forgotten: waits to be rung\n");
}

TEST_F(HangGuards, AHangAfterProgressIsReported) {
  EXPECT_DEATH(
      {
        HangGuard guard("late", 1000ms);
        for (int step = 0; step < 5; ++step) {
          std::this_thread::sleep_for(100ms);
          guard.progress();
        }
        std::this_thread::sleep_for(20s);
      },
      "hang: late: nothing has ended for .*, 5 steps came before");
}

TEST_F(HangGuards, ProgressBeginsTheLimitAnew) {
  HangGuard guard("progress", 2000ms);
  for (int step = 0; step < 30; ++step) {
    std::this_thread::sleep_for(100ms);
    guard.progress();
  }
}

/// While it lives, PTO2_HANG_SECONDS has this value.
class HangSeconds {
 public:
  explicit HangSeconds(const char* value) { setenv("PTO2_HANG_SECONDS", value, 1); }
  ~HangSeconds() { unsetenv("PTO2_HANG_SECONDS"); }
  HangSeconds(const HangSeconds&) = delete;
  HangSeconds& operator=(const HangSeconds&) = delete;
};

TEST_F(HangLimits, TheVariableReplacesThem) {
  EXPECT_EQ(hang_limit_in_force(3s), 3s * test_slowdown());
  for (const auto& [text, limit] : std::initializer_list<std::pair<const char*, milliseconds>>{
           {"", 3s * test_slowdown()}, {"10", 10s}, {"0.5", 500ms}, {"2e1", 20s}}) {
    const HangSeconds seconds(text);
    EXPECT_EQ(hang_limit_in_force(3s), limit) << text;
  }
}

/// A limit has time for each look at the steps, and a number of milliseconds that there is.
TEST_F(HangLimits, AreNeitherTooShortNorTooLong) {
  for (const char* text : {"0.001", "1e-300"}) {
    const HangSeconds seconds(text);
    EXPECT_EQ(hang_limit_in_force(), 20ms) << text;
  }
  EXPECT_GE(hang_limit_in_force(1ms), 20ms);
  for (const char* text : {"1e12", "1e300"}) {
    const HangSeconds seconds(text);
    EXPECT_EQ(hang_limit_in_force(), 365 * 24h) << text;
  }
}

TEST_F(HangLimits, WhatIsNoLimitIsRefused) {
  for (const char* text : {"soon", "-1", "0", "nan", "inf", "45s", " 45", "1e999"}) {
    const HangSeconds seconds(text);
    try {
      const HangGuard guard("of no limit");
      ADD_FAILURE() << text;
    } catch (const cli::CliError& error) {
      EXPECT_EQ(error.code(), cli::exit_bad_input) << text;
      EXPECT_THAT(error.what(), testing::HasSubstr("PTO2_HANG_SECONDS is '" + std::string(text)));
    }
  }
}

}  // namespace
}  // namespace pto2::stress
