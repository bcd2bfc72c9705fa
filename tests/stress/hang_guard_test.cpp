/// Hangs on purpose: the program must end with a report that names the thread that waits.
#include "stress/hang_guard.hpp"

#include <gtest/gtest.h>

#include "runtime/executors/hardware.hpp"

namespace pto2::stress {
namespace {

using namespace std::chrono_literals;
using executors::Executor;
using executors::Team;
using executors::TeamOptions;

class HangGuards : public testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
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

}  // namespace
}  // namespace pto2::stress
