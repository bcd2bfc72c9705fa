#include <gtest/gtest.h>

#include "core/task_word.hpp"
#include "runtime/executors/hardware.hpp"
#include "runtime/scheduler/ready_dispatch.hpp"
#include "tests/runtime/device/task_graph.hpp"

namespace pto2::test::ready {
namespace {

constexpr auto cube = static_cast<uint32_t>(CoreType::cube);

/// Of one thread, which rings nobody.
struct ByHand : executors::Hardware {
  struct doorbell {
    void ring() const {}
  };
};

/// The rooms of scheduler 0 of two, which nobody runs.
class ReadyTest : public testing::Test {
 protected:
  using P = ByHand;

  static DeviceConfig device() {
    DeviceConfig config = tiny_device();
    config.shards = 2;
    config.chip.clusters = 2;
    config.chip.schedulers = 2;
    return config;
  }
  /// Makes task `number` ready: one for cubes, of this cluster alone.
  void push_pinned(uint32_t number, int16_t cluster) {
    const SlotId task = make_slot(0, number);
    state.life.slot(task).descriptor.write(
        {{.cluster = cluster, .type = CoreType::cube}, make_id(0, number), nullptr, {}});
    dispatch.push(task);
  }
  /// The number of the next task; -1: there is none.
  int next() {
    SlotId task;
    return ready.next(cube, task) ? static_cast<int>(index_of(task)) : -1;
  }
  int next_at_hand() {
    SlotId task;
    return ready.next_at_hand(cube, task) ? static_cast<int>(index_of(task)) : -1;
  }
  void push_to(uint32_t shard, uint32_t task) {
    ASSERT_TRUE(state.ready[cube].push(shard, make_slot(0, task)));
  }
  void push_to_orchestrators(uint32_t task) {
    ASSERT_TRUE(state.ready[cube].push_orchestrators(make_slot(0, task)));
  }

  RunState<P, TaskWord> state{device()};
  SchedulerDesk<P, TaskWord> desk{state, 0};
  Announcements<P, TaskWord> announcements{desk};
  ReadyTasks<P, TaskWord> ready{desk};
  Loans<P, TaskWord> loans{desk, ready};
  PinnedDispatch<P, TaskWord> pinned{desk};
  ReadyDispatch<P, TaskWord> dispatch{desk, ready, loans, pinned, announcements};
};

TEST_F(ReadyTest, WhatASchedulerHasPushedItTakesFirst) {
  push_to_orchestrators(1);
  push_to_orchestrators(2);
  ready.push(cube, make_slot(0, 3), make_id(0, 3));
  EXPECT_EQ(next(), 3);
  EXPECT_TRUE(ready.has_made_room()) << "where the orchestrator may push, too";
  EXPECT_EQ(next(), 1);
  EXPECT_TRUE(ready.has_made_room()) << "where it pushes first";
  ready.push(cube, make_slot(0, 4), make_id(0, 4));
  EXPECT_EQ(next_at_hand(), 4);
  EXPECT_EQ(next_at_hand(), 2);
  EXPECT_EQ(next(), -1);
}

TEST_F(ReadyTest, WhatOthersHaveLeftIsFoundAndOnlyTheirsIsStolen) {
  EXPECT_EQ(next(), -1);
  EXPECT_FALSE(ready.has_made_room());
  push_to(0, 1);
  push_to(1, 2);
  push_to_orchestrators(3);
  ready.scan();
  EXPECT_EQ(next_at_hand(), 1);
  EXPECT_EQ(next(), 3);
  EXPECT_EQ(desk.counts.steals, 0u);
  EXPECT_EQ(next_at_hand(), -1);
  EXPECT_TRUE(ready.has_made_room());
  EXPECT_EQ(next(), 2);
  EXPECT_EQ(desk.counts.steals, 1u);
  EXPECT_TRUE(ready.has_made_room());
  EXPECT_FALSE(ready.has_made_room());
}

TEST_F(ReadyTest, WhatHadNoRoomIsFoundToTheLast) {
  uint32_t pushed = 0;
  const auto push = [&] {
    ready.push(cube, make_slot(0, pushed), make_id(0, pushed));
    ++pushed;
  };
  while (!ready.has_backlog(cube)) push();
  push();
  EXPECT_TRUE(ready.has_backlog());
  for (uint32_t task = 0; task < pushed; ++task) {
    EXPECT_NE(next(), -1) << task;
    EXPECT_TRUE(ready.has_made_room()) << task << ": it may be a ticket that holds a slot";
  }
  EXPECT_EQ(next(), -1);
  EXPECT_FALSE(ready.has_backlog());
}

TEST_F(ReadyTest, ACoreIsIdleAfterAVisitThatFoundNothing) {
  const CoreId core = desk.cores.take_lowest(cube);
  dispatch.begin_visits();
  dispatch.begin_visit(core);
  EXPECT_FALSE(desk.cores[cube].idle.contains(core));
  dispatch.end_visit();
  EXPECT_TRUE(desk.cores[cube].idle.contains(core));
  EXPECT_TRUE(desk.cores.busy().empty());
}

/// Cluster 0 is scheduler 0's, cluster 1 the other's.
TEST_F(ReadyTest, CoresAreKeptForPinnedTasksOfTheirSchedulerAlone) {
  for (const int16_t cluster : {int16_t{1}, int16_t{0}}) {
    const CoreId core = desk.cores.take_lowest(cube);
    dispatch.begin_visits();
    dispatch.begin_visit(core);
    push_pinned(static_cast<uint32_t>(cluster), cluster);
    EXPECT_EQ(desk.cores.are_set_aside(), cluster == 0) << cluster;
    dispatch.end_visit();
    EXPECT_FALSE(desk.cores.are_set_aside());
    EXPECT_TRUE(desk.cores[cube].idle.contains(core)) << cluster;
  }
}

using ReadyDeathTest = ReadyTest;

TEST_F(ReadyDeathTest, CoresAreKeptBetweenVisits) {
  desk.cores.set_idle_aside();
  EXPECT_DEATH(static_cast<void>(dispatch.dispatch()), "RD-I5");
}

TEST_F(ReadyDeathTest, ACoreIsVisitedWhileAnotherIs) {
  const CoreId core = desk.cores.take_lowest(cube);
  dispatch.begin_visit(core);
  EXPECT_DEATH(dispatch.begin_visit(core), "RD-P1");
}

}  // namespace
}  // namespace pto2::test::ready
