#include "runtime/run/run_state.hpp"

#include <gtest/gtest.h>

#include "core/task_word.hpp"
#include "runtime/executors/seeded.hpp"
#include "tests/runtime/device/task_graph.hpp"

namespace pto2::test {
namespace {

/// How many tasks fit.
uint32_t push_all(ReadyQueues<executors::Seeded>& ready) {
  uint32_t pushed = 0;
  while (ready.push(0, make_slot(0, 0))) ++pushed;
  while (ready.push_orchestrators(make_slot(0, 0))) ++pushed;
  return pushed;
}

TEST(RunState, QueuesHaveTheirOwnSizes) {
  DeviceConfig config = tiny_device();
  config.shards = 3;
  config.shard_capacity = 2;
  config.orchestrator_queue = 8;
  config.chip.accelerators = 1;
  for (uint32_t type = 0; type < core_types; ++type) {
    RunState<executors::Seeded, TaskWord> state(config);
    auto& ready = state.ready[type];
    EXPECT_EQ(push_all(ready), 3 * 2 + 8U);
    // What is popped first came from the own queue, then from the orchestrator's.
    uint32_t own = 0;
    for (ReadyTask task; ready.pop(0, task) && !task.stolen;) ++own;
    EXPECT_EQ(own, 2 + 8U);
  }
}

/// The queues for AI_CPU tasks stay small; those for accelerators are as large as any, and are not
/// made without one.
TEST(RunState, QueuesForRareTypesCostLittle) {
  DeviceConfig config = tiny_device();
  config.shards = 1;
  config.shard_capacity = 2 * ai_cpu_queue;
  config.orchestrator_queue = 4 * ai_cpu_queue;
  const auto room = [](RunState<executors::Seeded, TaskWord>& state, CoreType type) {
    return push_all(state.ready[static_cast<uint32_t>(type)]);
  };
  RunState<executors::Seeded, TaskWord> without(config);
  EXPECT_EQ(room(without, CoreType::ai_cpu), 2 * ai_cpu_queue);
  EXPECT_EQ(without.ready[static_cast<uint32_t>(CoreType::accelerator)].shards(), 0U);
  config.chip.accelerators = 1;
  RunState<executors::Seeded, TaskWord> with(config);
  EXPECT_EQ(room(with, CoreType::accelerator), 6 * ai_cpu_queue);
}

}  // namespace
}  // namespace pto2::test
