/// The stall detector is exact: a run is called a deadlock if and only if an independent counting
/// oracle says that the graph cannot proceed, and the window it names is the smallest that works.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>

#include "runtime/device/standing_guard.hpp"
#include "runtime/executors/random.hpp"
#include "stress/oracles/counting_oracle.hpp"
#include "tests/runtime/device/task_graph.hpp"

namespace pto2::test {
namespace {

/// A scope with tasks, then an inner scope, then tasks again.
struct Shape {
  uint32_t before;
  uint32_t inner;
  uint32_t after;
};

constexpr uint32_t pairs(uint32_t n) {
  return n * (n - 1) / 2;
}

/// Edges that a graph of this shape may have: within the outer scope, within the inner one, and
/// from what came before the inner scope into it. No task reads from a scope that has ended.
constexpr uint32_t possible_edges(const Shape& shape) {
  return pairs(shape.before + shape.after) + pairs(shape.inner) + shape.before * shape.inner;
}

/// Submits the graph of this shape whose edges are the bits of `edges`.
class EnumeratedGraph {
 public:
  EnumeratedGraph(TaskGraph& graph, uint32_t edges) : graph_(graph), edges_(edges) {}

  void build(const Shape& shape) {
    std::vector<Value> outer;
    submit(shape.before, {}, outer);
    if (shape.inner != 0) {
      PTO2_SCOPE(graph_.runtime()) {
        std::vector<Value> inner;
        submit(shape.inner, outer, inner);
      }
    }
    submit(shape.after, {}, outer);
  }

 private:
  void submit(uint32_t tasks, const std::vector<Value>& visible, std::vector<Value>& own) {
    for (uint32_t i = 0; i < tasks; ++i) {
      std::vector<Value> inputs;
      read_some(visible, inputs);
      read_some(own, inputs);
      own.push_back(graph_.task(inputs));
    }
  }

  void read_some(const std::vector<Value>& from, std::vector<Value>& inputs) {
    for (const Value& value : from) {
      if ((edges_ & 1) != 0) inputs.push_back(value);
      edges_ >>= 1;
    }
  }

  TaskGraph& graph_;
  uint32_t edges_;
};

oracle::Program program_of(const Shape& shape) {
  using oracle::CallKind;
  oracle::Program program{{CallKind::scope_begin}};
  program.insert(program.end(), shape.before, {CallKind::submit});
  if (shape.inner != 0) {
    program.push_back({CallKind::scope_begin});
    program.insert(program.end(), shape.inner, {CallKind::submit});
    program.push_back({CallKind::scope_end});
  }
  program.insert(program.end(), shape.after, {CallKind::submit});
  program.push_back({CallKind::scope_end});
  return program;
}

/// Only the window is scarce, for a graph of so many tasks.
DeviceConfig device_with(uint32_t window, uint32_t rings, uint64_t tasks) {
  DeviceConfig config = tiny_device();
  config.window = window;
  config.rings = rings;
  config.heap_bytes = 2 * (tasks + 1) * 1024;
  config.dep_pool = static_cast<uint32_t>(16 + 4 * tasks);
  config.tensormap_pool = static_cast<uint32_t>(16 + tasks);
  config.events = 40 * (tasks + 6);
  return config;
}

/// The number behind "--window" in what a deadlock tells its user.
uint32_t named_window(const RunResult& result) {
  const std::size_t at = result.error.hint.find("--window ");
  if (at == std::string::npos) return 0;
  return static_cast<uint32_t>(std::stoul(result.error.hint.substr(at + 9)));
}

using Build = std::function<void(TaskGraph&)>;

RunResult run(const Build& build, const DeviceConfig& config, uint64_t seed) {
  static constexpr KernelEntry kernels[] = {hash_kernel};
  std::optional<TaskGraph> graph;
  const Launch what{kernels,
                    [&](PTO2Runtime* rt) {
                      graph.emplace(rt);
                      build(*graph);
                    },
                    {}};
  RunResult result = run_at(ExecutorKind::seeded, config, what, seed);
  if (result.error.code == ErrorCode::ok) graph->verify();
  return result;
}

/// Runs a graph, and again with the window it names and the next smaller one if it is a deadlock.
/// Returns whether it is.
bool expect_exact(const Build& build, const oracle::Program& program, const DeviceConfig& config,
                  uint64_t seed) {
  const auto at_window = [&](uint32_t window) {
    DeviceConfig other = config;
    other.window = window;
    return run(build, other, seed).error.code;
  };
  const auto deadlock = oracle::first_deadlock(
      program,
      {config.window, config.heap_bytes, config.dep_pool, config.tensormap_pool, config.rings});
  const RunResult result = run(build, config, seed);
  EXPECT_EQ(result.error.code, deadlock ? ErrorCode::flow_control_deadlock : ErrorCode::ok)
      << result.error.message;
  if (!deadlock) return false;
  const uint32_t window = named_window(result);
  EXPECT_GT(window, config.window) << result.error.hint;
  EXPECT_EQ(at_window(window), ErrorCode::ok) << window << " is enough";
  EXPECT_EQ(at_window(window / 2), ErrorCode::flow_control_deadlock) << window << " is the least";
  return true;
}

struct Count {
  uint64_t graphs = 0;
  uint64_t deadlocks = 0;
};

void expect_all_exact(const Shape& shape, uint32_t rings, Count& count) {
  const oracle::Program program = program_of(shape);
  for (uint32_t edges = 0; edges < uint32_t{1} << possible_edges(shape); ++edges) {
    const Build build = [&](TaskGraph& graph) { EnumeratedGraph(graph, edges).build(shape); };
    ++count.graphs;
    count.deadlocks += expect_exact(build, program, device_with(4, rings, 6), edges);
    ASSERT_FALSE(testing::Test::HasFailure()) << "shape " << shape.before << " " << shape.inner
                                              << " " << shape.after << ", edges " << edges;
  }
}

Count expect_all_exact(uint32_t rings) {
  Count count;
  for (uint32_t before = 0; before <= 3; ++before) {
    for (uint32_t inner = 0; inner <= 3; ++inner) {
      for (uint32_t after = 0; before + after <= 3; ++after) {
        expect_all_exact({before, inner, after}, rings, count);
        if (testing::Test::HasFatalFailure()) return count;
      }
    }
  }
  return count;
}

/// A graph whose scopes, tasks and edges are drawn from a seed.
class RandomScopes {
 public:
  explicit RandomScopes(uint64_t seed) : random_(seed) { scope(1); }

  [[nodiscard]] uint64_t tasks() const {
    return static_cast<uint64_t>(std::count_if(steps_.begin(), steps_.end(), [](const Step& step) {
      return step.kind == oracle::CallKind::submit;
    }));
  }

  [[nodiscard]] oracle::Program program() const {
    oracle::Program program{{oracle::CallKind::scope_begin}};
    for (const Step& step : steps_) program.push_back({step.kind});
    program.push_back({oracle::CallKind::scope_end});
    return program;
  }

  void build(TaskGraph& graph) const {
    std::vector<Value> values;
    std::vector<std::size_t> outer;
    for (const Step& step : steps_) {
      switch (step.kind) {
        case oracle::CallKind::scope_begin:
          graph.runtime()->ops->scope_begin(graph.runtime());
          outer.push_back(values.size());
          break;
        case oracle::CallKind::scope_end:
          graph.runtime()->ops->scope_end(graph.runtime());
          values.resize(outer.back());
          outer.pop_back();
          break;
        case oracle::CallKind::submit: {
          std::vector<Value> inputs;
          for (const std::size_t input : step.inputs) inputs.push_back(values[input]);
          values.push_back(graph.task(inputs));
          break;
        }
        case oracle::CallKind::open_group:  // not drawn here
        case oracle::CallKind::close_group:
          break;
      }
    }
  }

 private:
  struct Step {
    oracle::CallKind kind;
    std::vector<std::size_t> inputs = {};  ///< among the values of the open scopes
  };

  void scope(uint32_t depth) {
    const std::size_t outer = visible_;
    for (uint64_t left = random_.below(8); left != 0; --left) {
      if (depth < 6 && random_.below(3) == 0) {
        steps_.push_back({oracle::CallKind::scope_begin});
        scope(depth + 1);
        steps_.push_back({oracle::CallKind::scope_end});
      } else {
        task();
      }
    }
    visible_ = outer;
  }

  void task() {
    Step step{oracle::CallKind::submit};
    for (uint64_t n = std::min<uint64_t>(random_.below(4), visible_); n != 0; --n) {
      step.inputs.push_back(random_.below(visible_));
    }
    steps_.push_back(step);
    ++visible_;
  }

  executors::Random random_;
  std::vector<Step> steps_;
  std::size_t visible_ = 0;
};

TEST(ExactStalls, all_graphs_of_up_to_three_tasks_per_scope_with_window_4) {
  const StandingGuard at_crash;  // there are 250,000 runs
  const Count one_ring = expect_all_exact(1);
  EXPECT_EQ(one_ring.graphs, 40323U);
  EXPECT_EQ(one_ring.deadlocks, 40128U);
  const Count four_rings = expect_all_exact(4);
  EXPECT_EQ(four_rings.graphs, 40323U);
  EXPECT_EQ(four_rings.deadlocks, 0U) << "no scope alone fills its ring";
}

TEST(ExactStalls, larger_graphs_from_seeds) {
  Count count;
  for (uint64_t seed = 1; seed <= 2000; ++seed) {
    const RandomScopes graph(seed);
    const DeviceConfig config =
        device_with(4U << seed % 4, seed / 4 % 2 == 0 ? 1 : 4, graph.tasks());
    ++count.graphs;
    count.deadlocks +=
        expect_exact([&](TaskGraph& into) { graph.build(into); }, graph.program(), config, seed);
    ASSERT_FALSE(testing::Test::HasFailure()) << "seed " << seed;
  }
  EXPECT_GT(count.deadlocks, count.graphs / 8) << "both kinds occur";
  EXPECT_LT(count.deadlocks, count.graphs * 7 / 8);
}

}  // namespace
}  // namespace pto2::test
