/// Graphs of every shape on every executor.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <optional>
#include <vector>

#include "runtime/executors/seeded_team.hpp"
#include "tests/runtime/device/task_graph.hpp"

namespace pto2::test {
namespace {

class Graphs : public testing::TestWithParam<ExecutorKind> {};

INSTANTIATE_TEST_SUITE_P(Everywhere, Graphs, testing::ValuesIn(everywhere()),
                         [](const auto& test) { return executor_name(test.param); });

TEST_P(Graphs, NoTaskAtAll) {
  expect_graph(GetParam(), tiny_device(), [](TaskGraph&) {});
}

TEST_P(Graphs, IndependentTasks) {
  expect_graph(GetParam(), small_device(), [](TaskGraph& graph) {
    for (int i = 0; i < 50; ++i) (void)graph.task({});
  });
}

TEST_P(Graphs, ChainOfTasksInOneScope) {
  expect_graph(GetParam(), small_device(), [](TaskGraph& graph) {
    Value value = graph.task({});
    for (int i = 0; i < 40; ++i) value = graph.task({value});
  });
}

/// 32 of them: the record, 30 inputs and the output.
TEST_P(Graphs, AsManyParametersAsATaskMayHave) {
  expect_graph(GetParam(), small_device(), [](TaskGraph& graph) {
    std::vector<Value> inputs;
    for (int i = 0; i < 30; ++i) inputs.push_back(graph.task({}));
    (void)graph.task(inputs);
  });
}

TEST_P(Graphs, ScopesThatAreLeftOpenEndWithTheOrchestration) {
  expect_graph(GetParam(), small_device(), [](TaskGraph& graph) {
    for (int depth = 1; depth <= 3; ++depth) {
      (void)graph.task({});
      graph.runtime()->ops->scope_begin(graph.runtime());
    }
    (void)graph.task({});
  });
}

/// A task in each of `depth` nested scopes.
void descend(TaskGraph& graph, int depth) {
  (void)graph.task({});
  if (depth == 1) return;
  PTO2_SCOPE(graph.runtime()) {
    descend(graph, depth - 1);
  }
}

TEST_P(Graphs, EachDepthOfScopesHasARingAndTheLastServesTheRest) {
  static constexpr KernelEntry kernels[] = {hash_kernel};
  for (uint32_t rings = 1; rings <= 4; ++rings) {
    DeviceConfig config = small_device();
    config.rings = rings;
    std::optional<TaskGraph> graph;
    const Launch what{kernels,
                      [&](PTO2Runtime* rt) {
                        graph.emplace(rt);
                        descend(*graph, 6);
                      },
                      {}};
    const RunResult result = run_at(GetParam(), config, what);
    ASSERT_EQ(result.error.code, ErrorCode::ok) << result.error.message;
    std::vector<uint32_t> submitted_to;
    for (const Event& event : result.record.events) {
      if (event.kind == EventKind::submit) submitted_to.push_back(ring_of(event.task).value);
    }
    std::vector<uint32_t> expected;
    for (uint32_t depth = 0; depth < 6; ++depth) expected.push_back(std::min(depth, rings - 1));
    EXPECT_EQ(submitted_to, expected) << rings << " rings";
  }
}

TEST_P(Graphs, DiamondsOfDifferentSizes) {
  expect_graph(GetParam(), small_device(), [](TaskGraph& graph) {
    for (uint32_t elements : {1u, 100u, 128u, 200u}) {
      PTO2_SCOPE(graph.runtime()) {
        const Value top = graph.task({}, elements);
        const Value left = graph.task({top}, elements);
        const Value right = graph.task({top}, elements);
        (void)graph.task({left, right, top}, elements);
      }
    }
  });
}

TEST_P(Graphs, UpdatesOfOneTensorKeepTheirOrder) {
  uint64_t memory[4] = {};
  expect_graph(GetParam(), tiny_device(), [&](TaskGraph& graph) {
    std::fill(std::begin(memory), std::end(memory), 7);
    Value value = graph.external(memory, 4);
    for (int i = 0; i < 60; ++i) {
      PTO2_SCOPE(graph.runtime()) {
        graph.update(value);
      }
    }
  });
}

/// A task in each of `depth` nested scopes that reads all outer ones, and one more afterwards.
void nest(TaskGraph& graph, std::vector<Value>& outer, int depth) {
  outer.push_back(graph.task(outer));
  if (depth > 0) {
    PTO2_SCOPE(graph.runtime()) {
      nest(graph, outer, depth - 1);
    }
  }
  (void)graph.task({outer.back()});
  outer.pop_back();
}

TEST_P(Graphs, NestedScopesUseTheRingsOfTheirDepth) {
  for (uint32_t rings = 1; rings <= 4; ++rings) {
    DeviceConfig config = small_device();
    config.rings = rings;
    config.window = 128;  // one ring keeps all tasks: the outermost scope holds the first
    const auto build = [](TaskGraph& graph) {
      std::vector<Value> outer{graph.task({})};
      for (int i = 0; i < 6; ++i) nest(graph, outer, 5);
    };
    expect_graph(GetParam(), config, build, 1);
  }
}

TEST_P(Graphs, ManyConsumersOfOneProducer) {
  DeviceConfig config = small_device();
  config.window = 256;
  expect_graph(GetParam(), config, [](TaskGraph& graph) {
    const Value value = graph.task({}, 1, 1000);
    for (int i = 0; i < 120; ++i) (void)graph.task({value});
  });
}

TEST_P(Graphs, ThirtyProducersOfOneTask) {
  expect_graph(GetParam(), small_device(), [](TaskGraph& graph) {
    std::vector<Value> values;
    for (int i = 0; i < 30; ++i) values.push_back(graph.task({}));
    (void)graph.task(values);
  });
}

TEST_P(Graphs, BackPressureOfTheTinyDevice) {
  uint64_t memory[1] = {1};
  expect_graph(GetParam(), tiny_device(), [&](TaskGraph& graph) {
    memory[0] = 1;
    Value sum = graph.external(memory);
    for (int i = 0; i < 100; ++i) {
      PTO2_SCOPE(graph.runtime()) {
        const Value part = graph.task({}, 128 + 100 * (i % 3 == 0));
        graph.update(sum, {part});
      }
    }
  });
}

TEST_P(Graphs, EveryNumberOfSchedulersAndBlocks) {
  for (const auto& [schedulers, blocks] :
       {std::pair{1u, 1u}, {1u, 3u}, {2u, 2u}, {3u, 5u}, {4u, 24u}, {3u, 43u}, {5u, 70u}}) {
    DeviceConfig config = small_device();
    config.chip.schedulers = schedulers;
    config.chip.clusters = blocks;
    config.shards = 1 + schedulers % 3;
    expect_graph(
        GetParam(), config,
        [](TaskGraph& graph) {
          for (int i = 0; i < 30; ++i) {
            PTO2_SCOPE(graph.runtime()) {
              const Value a = graph.task({}, 1, 200);
              const Value b = graph.task({a});
              (void)graph.task({a, b});
              (void)graph.task({b});
            }
          }
        },
        1);
  }
}

TEST_P(Graphs, EveryShapeOfBlock) {
  for (const Chip& chip : {Chip{"a", 5, 2, 3, 2},
                           {"b", 1, 1, 1, 1},
                           {"c", 3, 4, 1, 3},
                           {"d", 7, 3, 5, 4},
                           {"e", 2, 33, 40, 2}}) {
    DeviceConfig config = small_device();
    config.chip = chip;
    expect_graph(
        GetParam(), config,
        [](TaskGraph& graph) {
          for (int i = 0; i < 10; ++i) {
            PTO2_SCOPE(graph.runtime()) {
              const Value a = graph.task({}, 1, 200);
              for (int k = 0; k < 6; ++k) (void)graph.task({a});
            }
          }
        },
        1);
  }
}

TEST_P(Graphs, FullQueuesPushBack) {
  DeviceConfig config = small_device();
  config.window = 256;
  config.shard_capacity = 2;
  config.orchestrator_queue = 2;
  config.shards = 2;
  config.chip.clusters = 2;
  expect_graph(GetParam(), config, [](TaskGraph& graph) {
    for (int i = 0; i < 4; ++i) {
      PTO2_SCOPE(graph.runtime()) {
        const Value value = graph.task({}, 1, 2000);
        for (int k = 0; k < 50; ++k) (void)graph.task({value});
      }
    }
  });
}

TEST_P(Graphs, LaunchesAreIndependentOfEachOther) {
  for (int i = 0; i < 20; ++i) {
    expect_graph(
        GetParam(), tiny_device(),
        [](TaskGraph& graph) {
          const Value a = graph.task({});
          (void)graph.task({a});
        },
        1);
  }
}

std::atomic<bool> producer_may_end{false};
std::atomic<int> consumers_run{0};

void give_way() {
  executors::SeededTeam::current()->give_way();
}

void producer_kernel(int64_t*) {
  while (!producer_may_end.load()) give_way();
}

void consumer_kernel(int64_t*) {
  ++consumers_run;
}

/// Two consumers come while their producer runs, and a third when it has completed.
void submit_linked_and_early(PTO2Runtime* rt) {
  pto2_rt_init_tensor_pool(rt);
  const uint64_t shape[] = {1};
  const Tensor tensor = make_tensor(shape, 1);
  const PTOParam output = make_output_param(tensor);
  const PTOParam input = make_input_param(tensor);
  pto2_rt_submit_task(rt, 0, PTO2_WORKER_CUBE, &output, 1);
  for (int i = 0; i < 2; ++i) pto2_rt_submit_task(rt, 1, PTO2_WORKER_VECTOR, &input, 1);
  producer_may_end = true;
  while (consumers_run.load() == 0) give_way();
  pto2_rt_submit_task(rt, 1, PTO2_WORKER_VECTOR, &input, 1);
}

/// Whether the run is traced or not.
TEST(Edges, AreLinkedOrEarly) {
  static constexpr KernelEntry kernels[] = {producer_kernel, consumer_kernel};
  for (const uint32_t events : {0u, 1u << 12}) {
    producer_may_end = false;
    consumers_run = 0;
    DeviceConfig config = small_device();
    config.events = events;
    const RunResult result =
        launch_on(ExecutorKind::seeded, config, {kernels, submit_linked_and_early, {}}, 1);
    EXPECT_EQ(result.error.code, ErrorCode::ok) << result.error.message;
    EXPECT_EQ(result.edges_linked, 2U) << events;
    EXPECT_EQ(result.edges_early, 1U) << events;
  }
}

void slow_kernel(int64_t*) {
  for (int i = 0; i < 1000; ++i) give_way();
}
void quick_kernel(int64_t*) {}

/// The fourth task lacks a slot of four. The one before it had a producer, which runs still when
/// the first has ended.
TEST(Edges, AreNoneOfALateTaskThatNamesNothing) {
  static constexpr KernelEntry kernels[] = {slow_kernel, quick_kernel};
  DeviceConfig config = small_device();
  config.window = 4;
  int32_t memory = 0;
  const Launch what{
      kernels,
      [&](PTO2Runtime* rt) {
        pto2_rt_init_tensor_pool(rt);
        const uint64_t shape[] = {1};
        const PTOParam link = make_inout_param(make_tensor_external(&memory, shape, 1));
        for (int i = 0; i < 4; ++i) {
          PTO2_SCOPE(rt) {
            const PTOParam* const params = i < 3 ? &link : nullptr;
            pto2_rt_submit_task(rt, i < 2 ? 0 : 1, PTO2_WORKER_CUBE, params, params != nullptr);
          }
        }
      },
      {}};
  const RunResult result = launch_on(ExecutorKind::seeded, config, what, 1);
  EXPECT_EQ(result.error.code, ErrorCode::ok) << result.error.message;
  EXPECT_EQ(result.waits, 1U);
  EXPECT_EQ(result.edges_linked, 2U);
  EXPECT_EQ(result.edges_early, 0U);
}

}  // namespace
}  // namespace pto2::test
