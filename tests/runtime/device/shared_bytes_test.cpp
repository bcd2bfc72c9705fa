/// Tasks that update tensors of the caller's memory which share bytes: in the order in which they
/// were submitted, wherever those tensors begin.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <deque>
#include <map>
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

struct Range {
  uint32_t begin;
  uint32_t count;
};
/// Updates words of the memory, or of those of an earlier step.
struct Step {
  Range range;
  const Step* of;  ///< null: of the memory

  [[nodiscard]] uint64_t begin() const { return range.begin + (of == nullptr ? 0 : of->begin()); }
};
using Steps = std::deque<Step>;

Steps draw_steps(uint64_t seed) {
  std::mt19937_64 random(seed);
  Steps steps;
  for (int i = 0; i < 40; ++i) {
    const Step* const of = i != 0 && random() % 3 == 0 ? &steps[random() % steps.size()] : nullptr;
    const uint64_t most = of == nullptr ? words : of->range.count;
    const uint64_t begin = random() % most;
    const uint64_t count = 1 + random() % std::min<uint64_t>(most - begin, 9);
    steps.push_back({{static_cast<uint32_t>(begin), static_cast<uint32_t>(count)}, of});
  }
  return steps;
}

Memory one_by_one(const Steps& steps) {
  Memory memory{};
  for (std::size_t i = 0; i < steps.size(); ++i) {
    update(memory.data() + steps[i].begin(), steps[i].range.count, i);
  }
  return memory;
}

class SharedBytesOfARun : public testing::TestWithParam<ExecutorKind> {
 protected:
  Memory run(const Steps& steps, uint64_t seed, RecordedGraph* graph = nullptr) {
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
  void submit(PTO2Runtime* rt, const Steps& steps) {
    pto2_rt_init_tensor_pool(rt);
    std::map<const Step*, Tensor> tensors;
    uint64_t number = 0;
    for (const Step& step : steps) {
      const uint64_t count = step.range.count;
      const Tensor tensor =
          step.of == nullptr
              ? make_tensor_external(memory_.data() + step.begin(), &count, 1, DataType::UINT64)
              : tensors[step.of].view(&step.range.count, &step.range.begin);
      tensors[&step] = tensor;
      const PTOParam params[] = {make_inout_param(tensor), make_scalar_param(number++)};
      pto2_rt_submit_task(rt, 0, PTO2_WORKER_VECTOR, params, 2);
    }
  }
};

INSTANTIATE_TEST_SUITE_P(Everywhere, SharedBytesOfARun, testing::ValuesIn(everywhere()),
                         [](const auto& test) { return executor_name(test.param); });

TEST_P(SharedBytesOfARun, AreUpdatedInOrder) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    const Steps steps = draw_steps(seed);
    ASSERT_EQ(run(steps, seed), one_by_one(steps)) << "seed " << seed;
  }
}

/// Also if the tensors came to share a buffer while the graph was recorded.
TEST_P(SharedBytesOfARun, AreUpdatedInOrderByAGraph) {
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    const Steps steps = draw_steps(seed);
    RecordedGraph graph;
    for (const GraphUse::Kind expected : {GraphUse::Kind::recorded, GraphUse::Kind::replayed}) {
      ASSERT_EQ(run(steps, seed, &graph), one_by_one(steps)) << "seed " << seed;
      ASSERT_EQ(graph.use().kind, expected) << graph.use().reason;
    }
  }
}

}  // namespace
}  // namespace pto2::test
