/// Tasks that a scheduler runs itself.
#include <gtest/gtest.h>

#include <stdexcept>

#include "core/task_word.hpp"
#include "runtime/executors/hardware.hpp"
#include "runtime/run/argument_blocks.hpp"
#include "runtime/scheduler/scheduler_impl.hpp"
#include "tests/runtime/device/task_graph.hpp"

namespace pto2::test {
namespace {

/// Of one thread, which rings nobody.
struct OneThread : executors::Hardware {
  [[nodiscard]] static uint32_t parallelism() { return 1; }
  struct doorbell {
    void ring() const {}
  };
};

/// The rooms of scheduler 0, and a task of its own, whose kernel sees whether the orchestrator is
/// yet to be told of room, and another scheduler to be woken.
class OwnTasksTest : public testing::Test {
 protected:
  static constexpr auto cube = static_cast<uint32_t>(CoreType::cube);
  static inline ReadyTasks<OneThread, TaskWord>* asked = nullptr;
  static inline const ParkedSchedulers<OneThread>* parked = nullptr;
  static inline bool is_untold = false;
  static inline bool is_unwoken = false;  ///< scheduler 1, for cubes

  OwnTasksTest() {
    asked = &ready;
    parked = &state.parked[cube];
    for (auto& core : state.cores) {
      core.mailbox().report_ready();
      EXPECT_TRUE(core.mailbox().is_ready());
    }
    const auto kernel = [](int64_t*) {
      is_untold = asked->has_made_room();
      is_unwoken = parked->is_announced(SchedulerId(1));
      throw std::runtime_error("it need not complete");
    };
    const SlotId task = make_slot(0, 3);
    const TaskArguments arguments = blocks.take(0);
    arguments.call() = {.run = &state.calls.run, .pipes = 0, .kernel = 0, .params = 0, .misuse = 0};
    state.life.slot(task).descriptor.write(
        {{.type = CoreType::ai_cpu}, make_id(0, 3), kernel, arguments});
    EXPECT_TRUE(state.ready[own_type].push_orchestrators(task));
  }

  /// Two schedulers, with two cubes each.
  static DeviceConfig device() {
    DeviceConfig config = tiny_device();
    config.chip = {"two", 2, 2, 2, 2};
    return config;
  }

  SlotId next_ticket() {
    SlotId task;
    EXPECT_TRUE(ready.next(cube, task));
    return task;
  }

  RunState<OneThread, TaskWord> state{device()};
  SchedulerDesk<OneThread, TaskWord> desk{state, SchedulerId(0)};
  Announcements<OneThread, TaskWord> announcements{desk};
  ReadyTasks<OneThread, TaskWord> ready{desk};
  Loans<OneThread, TaskWord> loans{desk, ready};
  PinnedDispatch<OneThread, TaskWord> pinned{desk};
  ReadyDispatch<OneThread, TaskWord> dispatch{desk, ready, loans, pinned, announcements};
  Completion<OneThread, TaskWord> completion{desk, dispatch};
  OwnTasks<OneThread, TaskWord> own_tasks{desk, ready, completion, announcements};
  ArgumentBlocks blocks{4};
};

/// The kernel may wait for a task that has no room yet (RT-I3).
TEST_F(OwnTasksTest, TheOrchestratorHearsOfRoomBeforeTheKernel) {
  ASSERT_TRUE(state.ready[cube].push_orchestrators(make_slot(0, 1)));
  SlotId other;
  ASSERT_TRUE(ready.next(cube, other));
  EXPECT_TRUE(own_tasks.run_one());
  EXPECT_TRUE(state.fatal.is_set()) << "it has run";
  EXPECT_FALSE(is_untold);
}

/// One core runs at a time, so the block task is lent to one, and the other one would be next.
/// While the kernel runs, another scheduler's core can be (OT-I3).
TEST_F(OwnTasksTest, WhatWasPassedOnIsOfferedBeforeTheKernel) {
  const SlotId block = make_slot(0, 1);
  state.life.slot(block).descriptor.write(
      {{.type = CoreType::cube, .is_block = true}, make_id(0, 1), nullptr, blocks.take(0)});
  state.block_to_open(block).parts.open(3);
  ASSERT_TRUE(state.ready[cube].push_orchestrators(block));
  state.parked[cube].announce(SchedulerId(1));
  EXPECT_TRUE(dispatch.dispatch());
  EXPECT_EQ(desk.cores[cube].idle.size(), 1u);
  EXPECT_TRUE(state.parked[cube].is_announced(SchedulerId(1))) << "its own core would be next";
  EXPECT_TRUE(own_tasks.run_one());
  EXPECT_FALSE(is_unwoken);
  EXPECT_EQ(next_ticket(), block);
}

/// Nobody is woken for what is not there.
TEST_F(OwnTasksTest, NobodyElseIsWokenForTheKernel) {
  state.parked[cube].announce(SchedulerId(1));
  EXPECT_FALSE(dispatch.dispatch());
  EXPECT_TRUE(own_tasks.run_one());
  EXPECT_TRUE(is_unwoken);
}

}  // namespace
}  // namespace pto2::test
