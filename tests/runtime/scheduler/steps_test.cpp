/// What a scheduler in steps asks of who runs it, at each place where it waits.
#include <gtest/gtest.h>

#include "core/task_word.hpp"
#include "runtime/executors/hardware.hpp"
#include "runtime/scheduler/scheduler_impl.hpp"
#include "tests/runtime/device/task_graph.hpp"

namespace pto2::test {
namespace {

using executors::AfterStep;

/// Of one thread, which says how many rounds in vain come before a sleep.
struct ByHand : executors::Hardware {
  struct doorbell {
    void ring() const {}
  };
  static uint32_t polling_rounds() { return rounds; }
  static inline uint32_t rounds = 0;
};

/// The scheduler of a run whose other threads the test plays.
class StepsTest : public testing::Test {
 protected:
  StepsTest() { ByHand::rounds = 0; }

  /// So that it is in its rounds.
  void start() {
    state.startup.sm_header_ready.set();
    state.startup.orch_pointers_ready.set();
    for (auto& core : state.cores) core.mailbox().report_ready();
    EXPECT_EQ(scheduler.step(), AfterStep::yield);
  }

  RunState<ByHand, TaskWord> state{tiny_device()};
  Scheduler<ByHand, TaskWord> scheduler{state, SchedulerId(0)};
};

/// Until it is rung, before its rounds and after them. Each ring may be for something else.
TEST_F(StepsTest, WhoWaitsForOthersIsNotToBeCalledUnlessItIsRung) {
  const auto expect_wait = [this] {
    for (int i = 0; i < 3; ++i) EXPECT_EQ(scheduler.step(), AfterStep::rung);
  };
  expect_wait();
  state.startup.sm_header_ready.set();
  expect_wait();
  EXPECT_TRUE(state.startup.init_complete.is_set());
  state.startup.orch_pointers_ready.set();
  for (auto& core : state.cores) {
    expect_wait();
    core.mailbox().report_ready();
  }
  EXPECT_EQ(scheduler.step(), AfterStep::yield) << "others first, then its rounds";
  expect_wait();
  state.startup.shutdown.set();
  for (auto& core : state.cores) {
    expect_wait();
    EXPECT_EQ(core.mailbox().peek(), CoreCommand::exit);
    core.mailbox().acknowledge_exit();
  }
  EXPECT_EQ(scheduler.step(), AfterStep::end);
}

/// How many are worth while changes in the course of a run.
TEST_F(StepsTest, WhoPollsAsksEachTimeForHowManyRounds) {
  start();
  EXPECT_EQ(scheduler.step(), AfterStep::rung);
  ByHand::rounds = 5;
  for (int round = 2; round <= 5; ++round) {
    EXPECT_EQ(scheduler.step(), AfterStep::yield) << round;
  }
  EXPECT_EQ(scheduler.step(), AfterStep::rung);
  ByHand::rounds = 8;
  EXPECT_EQ(scheduler.step(), AfterStep::yield);
  ByHand::rounds = 0;
  EXPECT_EQ(scheduler.step(), AfterStep::rung);
}

}  // namespace
}  // namespace pto2::test
