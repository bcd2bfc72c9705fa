/// Random graphs: scopes, sizes, inputs, updates and device sizes drawn by seed.
#include <gtest/gtest.h>

#include "runtime/platform/random.hpp"
#include "tests/runtime/device/task_graph.hpp"

namespace pto2::test {
namespace {

using platform::Random;

constexpr uint32_t max_depth = 5;

/// Values that may be read, by scope depth. Only the innermost scopes' are dropped.
class RandomGraph {
 public:
  RandomGraph(TaskGraph& graph, Random& random, uint64_t* memory)
      : graph_(graph), random_(random), sum_(graph.external(memory)) {}

  /// A scope with a few tasks and scopes.
  void scope(uint32_t depth, uint32_t tasks_left) {
    const std::size_t outer = values_.size();
    for (uint32_t i = 0; i < tasks_left; ++i) {
      if (depth < max_depth && random_.below(3) == 0) {
        PTO2_SCOPE(graph_.runtime()) {
          scope(depth + 1, static_cast<uint32_t>(1 + random_.below(4)));
        }
      } else {
        step();
      }
    }
    values_.resize(outer);
  }

 private:
  void step() {
    std::vector<Value> inputs;
    for (uint64_t n = std::min<uint64_t>(random_.below(5), values_.size()); n != 0; --n) {
      inputs.push_back(
          values_[values_.size() - 1 - random_.below(std::min<std::size_t>(values_.size(), 6))]);
    }
    const auto spins = static_cast<uint32_t>(random_.below(4) == 0 ? random_.below(3000) : 0);
    if (random_.below(5) == 0) {
      graph_.update(sum_, inputs, spins);
    } else {
      const auto elements = static_cast<uint32_t>(1 + random_.below(300));
      values_.push_back(graph_.task(inputs, elements, spins));
    }
  }

  TaskGraph& graph_;
  Random& random_;
  Value sum_;
  std::vector<Value> values_;
};

/// Large enough for any of the graphs, and rarely more.
DeviceConfig random_device(Random& random) {
  DeviceConfig config = small_device();
  config.rings = static_cast<uint32_t>(1 + random.below(4));
  config.window = random.below(2) == 0 ? 64 : 128;
  config.heap_bytes = (96 + random.below(64)) << 10;
  config.dep_pool = static_cast<uint32_t>(150 + random.below(50));
  config.shards = static_cast<uint32_t>(1 + random.below(4));
  config.shard_capacity = 2u << random.below(3);
  config.orchestrator_queue = 2u << random.below(3);
  config.blocks = static_cast<uint32_t>(1 + random.below(5));
  config.schedulers = static_cast<uint32_t>(1 + random.below(config.blocks));
  return config;
}

class RandomGraphs : public testing::TestWithParam<Where> {};

INSTANTIATE_TEST_SUITE_P(Everywhere, RandomGraphs, testing::ValuesIn(everywhere()),
                         [](const auto& test) { return where_name(test.param); });

TEST_P(RandomGraphs, ComputeWhatTheyShould) {
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    Random shape(seed);
    const DeviceConfig config = random_device(shape);
    uint64_t memory[1] = {};
    expect_graph(
        GetParam(), config,
        [&](TaskGraph& graph) {
          Random random(seed);
          memory[0] = seed;
          RandomGraph builder(graph, random, memory);
          for (int i = 0; i < 8; ++i) {
            PTO2_SCOPE(graph.runtime()) {
              builder.scope(1, 6);
            }
          }
        },
        2);
    ASSERT_FALSE(HasFatalFailure()) << "graph " << seed;
  }
}

}  // namespace
}  // namespace pto2::test
