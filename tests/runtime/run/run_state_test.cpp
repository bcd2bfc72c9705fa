#include "runtime/run/run_state.hpp"

#include <gtest/gtest.h>

#include "core/task_word.hpp"
#include "runtime/executors/seeded.hpp"
#include "tests/runtime/device/task_graph.hpp"

namespace pto2::test {
namespace {

/// How many tasks fit into all queues for a core type, then into all but the orchestrator's.
TEST(RunState, QueuesHaveTheirOwnSizes) {
  DeviceConfig config = tiny_device();
  config.shards = 3;
  config.shard_capacity = 2;
  config.orchestrator_queue = 8;
  for (uint32_t type = 0; type < core_types; ++type) {
    RunState<executors::Seeded, TaskWord> state(config);
    auto& ready = state.ready[type];
    EXPECT_EQ(ready.orchestrator_shard(), 3U);
    uint32_t pushed = 0;
    while (ready.push(0, make_place(0, 0))) ++pushed;
    EXPECT_EQ(pushed, 3 * 2 + 8U);
    // What is popped first came from the own queue, then from the orchestrator's.
    uint32_t own = 0;
    while (!ready.pop(0).value().stolen) ++own;
    EXPECT_EQ(own, 2 + 8U);
  }
}

}  // namespace
}  // namespace pto2::test
