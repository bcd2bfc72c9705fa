/// Tasks that update tensors of the caller's memory which share bytes: in the order in which they
/// were submitted, wherever those tensors begin.
#include <gtest/gtest.h>

#include <array>
#include <random>

#include "runtime/orchestrator/recorded_graph.hpp"
#include "tests/runtime/device/task_graph.hpp"

namespace pto2::test {
namespace {

constexpr uint64_t words = 24;
using Memory = std::array<uint64_t, words>;

/// What depends on who was first.
void update(uint64_t* begin, uint64_t count, uint64_t step) {
  for (uint64_t i = 0; i < count; ++i) begin[i] = 3 * begin[i] + step;
}
void update_kernel(int64_t* args) {
  const PTOTensor& tensor = pto_tensor(args, 0);
  update(tensor.data<uint64_t>(), tensor.shape[0], static_cast<uint64_t>(args[1]));
}

/// Some words of the memory, and of these.
struct Range {
  uint32_t begin;
  uint32_t count;
};
struct Step {
  Range root;
  bool is_view;
  Range view;  ///< of the root
};

std::vector<Step> draw_steps(uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto within = [&](uint32_t most) {
    const auto begin = static_cast<uint32_t>(random() % most);
    return Range{begin, 1 + static_cast<uint32_t>(random() % std::min(most - begin, 9U))};
  };
  std::vector<Step> steps;
  for (int i = 0; i < 40; ++i) {
    const Range root = within(words);
    steps.push_back({root, random() % 3 == 0, within(root.count)});
  }
  return steps;
}

Memory one_by_one(const std::vector<Step>& steps) {
  Memory memory{};
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const Step& step = steps[i];
    uint64_t* const root = memory.data() + step.root.begin;
    step.is_view ? update(root + step.view.begin, step.view.count, i)
                 : update(root, step.root.count, i);
  }
  return memory;
}

class SharedBytesOfARun : public testing::TestWithParam<ExecutorKind> {
 protected:
  Memory run(const std::vector<Step>& steps, uint64_t seed, RecordedGraph* graph = nullptr) {
    static constexpr KernelEntry kernels[] = {update_kernel};
    memory_ = {};
    Launch what{kernels, [&](PTO2Runtime* rt) { submit(rt, steps); }, {}};
    what.graph = graph;
    const RunResult result = run_at(GetParam(), small_device(), what, seed);
    EXPECT_EQ(result.error.code, ErrorCode::ok) << result.error.message;
    return memory_;
  }

  Memory memory_{};

 private:
  void submit(PTO2Runtime* rt, const std::vector<Step>& steps) {
    pto2_rt_init_tensor_pool(rt);
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const Step& step = steps[i];
      const uint64_t count = step.root.count;
      Tensor tensor =
          make_tensor_external(memory_.data() + step.root.begin, &count, 1, DataType::UINT64);
      if (step.is_view) tensor = tensor.view(&step.view.count, &step.view.begin);
      const PTOParam params[] = {make_inout_param(tensor), make_scalar_param(i)};
      pto2_rt_submit_task(rt, 0, PTO2_WORKER_VECTOR, params, 2);
    }
  }
};

INSTANTIATE_TEST_SUITE_P(Everywhere, SharedBytesOfARun, testing::ValuesIn(everywhere()),
                         [](const auto& test) { return executor_name(test.param); });

TEST_P(SharedBytesOfARun, AreUpdatedInOrder) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    const std::vector<Step> steps = draw_steps(seed);
    ASSERT_EQ(run(steps, seed), one_by_one(steps)) << "seed " << seed;
  }
}

/// Also if the tensors came to share a buffer while the graph was recorded.
TEST_P(SharedBytesOfARun, AreUpdatedInOrderByAGraph) {
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    const std::vector<Step> steps = draw_steps(seed);
    RecordedGraph graph;
    for (const GraphUse::Kind expected : {GraphUse::Kind::recorded, GraphUse::Kind::replayed}) {
      ASSERT_EQ(run(steps, seed, &graph), one_by_one(steps)) << "seed " << seed;
      ASSERT_EQ(graph.use().kind, expected) << graph.use().reason;
    }
  }
}

}  // namespace
}  // namespace pto2::test
