/// The ticket of a block task: what is left of it for others.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "runtime/executors/random.hpp"
#include "runtime/judge/judge.hpp"
#include "tests/runtime/device/task_graph.hpp"
#include "tests/support/record_events.hpp"

namespace pto2::test {
namespace {

/// Events of tickets that found the queues full.
std::size_t tickets_kept(const Record& record) {
  std::set<uint64_t> block_tasks;
  for (const auto& task : record.tasks) {
    if (task.block_dim != 0) block_tasks.insert(task.task.value);
  }
  return std::ranges::count_if(record.events, [&](const Event& event) {
    return event.kind == EventKind::backlog && block_tasks.contains(event.task.value);
  });
}

/// Block tasks and others on chips of every shape, with queues that are full; in two of three runs
/// kernels end last, so that a part that nobody claims beside an idle core is seen. VR-I36.
TEST(BlockTaskParts, NoCoreIsIdleBesideThem) {
  static constexpr KernelEntry kernels[] = {[](int64_t*) {}};
  static constexpr int32_t types[] = {PTO2_WORKER_CUBE, PTO2_WORKER_VECTOR, PTO2_WORKER_AI_CPU};
  std::size_t kept = 0;
  const uint64_t seeds = seeds_of(1000);
  for (uint64_t seed = 1; seed <= seeds; ++seed) {
    executors::Random random(seed);
    DeviceConfig config = small_device();
    stress::draw_device(random, 6, config);
    config.events = 8192;
    const Launch what{kernels,
                      [&](PTO2Runtime* rt) {
                        for (uint64_t tasks = 1 + random.below(12); tasks != 0; --tasks) {
                          const int32_t type = types[random.below(3)];
                          const auto parts = static_cast<uint32_t>(random.below(20));
                          if (parts != 0) {
                            submit_block(rt, {}, parts, type);
                          } else {
                            pto2_rt_submit_task(rt, 0, static_cast<PTO2WorkerType>(type), nullptr,
                                                0);
                          }
                        }
                      },
                      {}};
    const RunResult result =
        launch(config, executors::SeededOptions{.seed = seed, .kernels_last = seed % 3 != 0}, what);
    ASSERT_EQ(result.error.code, ErrorCode::ok) << result.error.message;
    ASSERT_THAT(judging::problems_of(result.record), testing::IsEmpty()) << "seed " << seed;
    kept += tickets_kept(result.record);
  }
  const bool may_have_none = seeds < 1000;
  EXPECT_TRUE(may_have_none || kept != 0);
}

/// Many tasks for few slots, each in a scope of its own: one that has a slot next is not given out
/// by the ticket of the one before.
TEST(BlockTaskParts, ATicketKeepsItsSlot) {
  static constexpr KernelEntry kernels[] = {[](int64_t*) {}};
  for (uint64_t seed = 1; seed <= seeds_of(600); ++seed) {
    executors::Random random(seed);
    DeviceConfig config = small_device();
    stress::draw_device(random, 6, config);
    config.window = 4;
    config.events = 8192;
    const Launch what{kernels,
                      [&](PTO2Runtime* rt) {
                        for (int task = 0; task < 40; ++task) {
                          PTO2_SCOPE(rt) {
                            const auto parts = 1 + static_cast<uint32_t>(random.below(8));
                            submit_block(rt, {}, parts, PTO2_WORKER_VECTOR);
                          }
                        }
                      },
                      {}};
    const RunResult result = launch(config, executors::SeededOptions{.seed = seed}, what);
    ASSERT_EQ(result.error.code, ErrorCode::ok) << "seed " << seed << result.error.message;
    ASSERT_THAT(judging::problems_of(result.record), testing::IsEmpty()) << "seed " << seed;
  }
}

/// How many tasks `scheduler` dispatches after the last part of task `block` has ended, until task
/// `consumer` is ready.
int64_t dispatches_until_ready(const RunResult& result, TaskId block, TaskId consumer) {
  uint64_t ended = 0;
  for (const Event& event : result.record.events) {
    if (event.kind == EventKind::fin && event.task == block) ended = std::max(ended, event.t);
  }
  uint64_t ready = 0;
  const std::vector<Event> scheduler = events_of(result.record, 1);
  for (const Event& event : scheduler) {
    if (event.kind == EventKind::ready && event.task == consumer) ready = event.t;
  }
  EXPECT_LT(ended, ready);
  return std::ranges::count_if(scheduler, [&](const Event& event) {
    return event.kind == EventKind::dispatch && event.t > ended && event.t < ready;
  });
}

/// A block task completes with its last part, and not when its ticket, used up, comes to the head
/// of a queue: many tasks are before it, and two cores run all parts.
TEST(BlockTaskParts, CompleteTheTaskBeforeItsTicketIsPopped) {
  static constexpr KernelEntry kernels[] = {[](int64_t*) {}};
  DeviceConfig config = small_device();
  config.chip = {"one-block", 1, 1, 2, 1};
  config.rings = 1;
  config.events = 8192;
  constexpr uint64_t others = 50;
  const Launch what{kernels,
                    [](PTO2Runtime* rt) {
                      pto2_rt_init_tensor_pool(rt);
                      const uint64_t shape[] = {1};
                      const Tensor first = make_tensor(shape, 1);
                      const Tensor of_parts = make_tensor(shape, 1);
                      const PTOParam output = make_output_param(first);
                      pto2_rt_submit_task(rt, 0, PTO2_WORKER_CUBE, &output, 1);
                      const PTOParam input = make_input_param(first);
                      for (uint64_t i = 0; i < others; ++i) {
                        pto2_rt_submit_task(rt, 0, PTO2_WORKER_VECTOR, &input, 1);
                      }
                      submit_block(rt, {input, make_output_param(of_parts)}, 3);
                      const PTOParam last = make_input_param(of_parts);
                      pto2_rt_submit_task(rt, 0, PTO2_WORKER_CUBE, &last, 1);
                    },
                    {}};
  int late = 0;  // how often the core waited long for its turn to tell of the end that it recorded
  for (uint64_t seed = 1; seed <= 50; ++seed) {
    const RunResult result = launch(config, executors::SeededOptions{.seed = seed}, what);
    ASSERT_EQ(result.error.code, ErrorCode::ok) << result.error.message;
    const auto between =
        dispatches_until_ready(result, make_id(0, others + 1), make_id(0, others + 2));
    if (between > 4) ++late;
  }
  EXPECT_LE(late, 5);
}

/// Ends after whoever can do something has done it.
void last_kernel(int64_t*) {
  for (int i = 0; i < 100; ++i) executors::SeededTeam::current()->give_way();
}

/// The orchestrator waited until no more than two tasks were alive, `scheduler` saw to that, and
/// the wait went on until a kernel had ended that `scheduler` ran itself.
bool sleeps_beside_a_free_slot(const Record& record) {
  const std::vector<Event> events = events_of(record, 0);
  const std::vector<Event> scheduler = events_of(record, 1);
  for (std::size_t i = 0; i + 1 < events.size(); ++i) {
    if (events[i].kind != EventKind::wait || !events[i].lacking) continue;
    bool reclaimed = false;
    bool runs = false;
    for (const Event& event : scheduler) {
      if (event.t < events[i].t || event.t > events[i + 1].t) continue;
      reclaimed |=
          event.kind == EventKind::reclaim && local_of(event.task) + 3 == local_of(events[i].task);
      runs |= reclaimed && event.kind == EventKind::ack;
      if (runs && event.kind == EventKind::fin) return true;
    }
  }
  return false;
}

/// Who gives up a ticket and completes the task with it rings the orchestrator, which may wait for
/// the slot, before it runs a task itself.
TEST(BlockTaskParts, RingTheOrchestratorWhenTheTicketIsTheLastToGo) {
  static constexpr KernelEntry kernels[] = {[](int64_t*) {}, last_kernel};
  DeviceConfig config = small_device();
  config.chip.schedulers = 1;
  config.chip.clusters = 1;
  config.rings = 1;
  config.window = 4;  // three are alive at a time: a block task, and two that the scheduler runs
  config.events = 8192;
  const Launch what{kernels,
                    [](PTO2Runtime* rt) {
                      for (int i = 0; i < 18; ++i) {
                        PTO2_SCOPE(rt) {
                          if (i % 3 == 0) {
                            submit_block(rt, {}, 3);
                          } else {
                            pto2_rt_submit_task(rt, 1, PTO2_WORKER_AI_CPU, nullptr, 0);
                          }
                        }
                      }
                    },
                    {}};
  for (uint64_t seed = 1; seed <= seeds_of(500); ++seed) {
    const RunResult result = launch(config, executors::SeededOptions{.seed = seed}, what);
    ASSERT_EQ(result.error.code, ErrorCode::ok) << result.error.message;
    ASSERT_FALSE(sleeps_beside_a_free_slot(result.record)) << "seed " << seed;
  }
}
}  // namespace
}  // namespace pto2::test
