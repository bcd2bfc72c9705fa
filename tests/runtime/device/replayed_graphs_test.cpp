/// A graph that is recorded and replayed: each way in which a later run can differ from it is seen,
/// told, and harmless.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <functional>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

#include "runtime/include/pto_kernel_api.h"
#include "runtime/orchestrator/recorded_graph.hpp"
#include "tests/runtime/device/task_graph.hpp"

namespace pto2::test {
namespace {

using testing::HasSubstr;
using Kind = GraphUse::Kind;

/// Element i of the last tensor becomes the scalar in front, and i, and the sum of all elements of
/// the others; what the last one held counts if the task reads it, as a second scalar says.
void sum_kernel(int64_t* args) {
  const auto count = static_cast<int>(args[1]);
  const bool is_read = args[2] != 0;
  uint64_t sum = static_cast<uint64_t>(args[0]);
  const auto for_each = [](const PTOTensor& tensor, auto&& visit) {
    ASSERT_LE(tensor.ndims, 2U);
    const uint32_t columns = tensor.ndims == 2 ? tensor.shape[1] : 1;
    for (uint32_t i = 0; i < tensor.shape[0] * columns; ++i) {
      const uint64_t offset = tensor.ndims == 2 ? i / columns * uint64_t{tensor.strides[0]} +
                                                      i % columns * uint64_t{tensor.strides[1]}
                                                : i * uint64_t{tensor.strides[0]};
      visit(reinterpret_cast<uint64_t*>(tensor.address)[offset], i);
    }
  };
  for (int t = 0; t < count; ++t) {
    if (t + 1 == count && !is_read) break;
    for_each(pto_tensor(args, 3 + t),
             [&](uint64_t& element, uint64_t i) { sum = mix(sum, element + i); });
  }
  for_each(pto_tensor(args, 2 + count), [&](uint64_t& element, uint64_t i) { element = sum + i; });
}
void other_kernel(int64_t* args) {
  ++args[0];
  sum_kernel(args);
}

using Orchestration = std::function<void(PTO2Runtime*)>;

/// What an orchestration does; each of its fields is a way to be another.
struct Calls {
  uint64_t* memory = nullptr;  ///< eight words, the result
  uint64_t* input = nullptr;   ///< eight words
  uint64_t scalar = 5;
  int32_t kernel = 0;
  int32_t type = PTO2_WORKER_VECTOR;
  uint64_t rows = 2;
  DataType dtype = DataType::INT64;
  uint32_t view_offset = 1;
  uint32_t view_rows = 1;
  bool is_view_of_other = false;
  bool is_flat = false;
  bool is_transposed_back = false;
  bool reads_other = false;
  bool is_inout = false;
  bool has_scope = true;
  bool has_more = false;
  bool is_done = false;
  uint32_t parts = 0;
  int tasks = 3;

  void operator()(PTO2Runtime* rt) const {
    const std::array<uint64_t, 2> shape{rows, 4};
    const std::array<uint64_t, 1> eight{8};
    const Tensor source = make_tensor_external(input, eight.data(), 1, DataType::INT64);
    const Tensor result = make_tensor_external(memory, eight.data(), 1, DataType::INT64);
    const Tensor first = make_tensor(shape.data(), 2, dtype);
    const Tensor second = make_tensor(shape.data(), 2, DataType::INT64);
    submit(rt, {source}, first);
    submit(rt, {first}, second);
    const std::array<uint32_t, 2> box{view_rows, 3};
    const std::array<uint32_t, 2> offsets{view_offset, 0};
    const Tensor part = (is_view_of_other ? first : second).view(box.data(), offsets.data());
    const std::array<uint64_t, 2> other_shape{rows * 2, 2};
    const std::array<uint64_t, 1> flat{rows * 4};
    const Tensor reshaped =
        is_flat ? second.reshape(flat.data(), 1) : second.reshape(other_shape.data(), 2);
    const Tensor turned = is_transposed_back ? part.transpose(0, 0) : part.transpose(0, 1);
    if (has_scope) rt->ops->scope_begin(rt);
    for (int i = 0; i < tasks; ++i) submit(rt, {turned, reshaped}, second);
    if (has_scope) rt->ops->scope_end(rt);
    if (parts != 0) {
      const PTOParam read = make_input_param(second);
      pto2_rt_submit_block_task(rt, 2, type, &read, 1, static_cast<int32_t>(parts));
    }
    submit(rt, {reads_other ? first : second, turned}, result);
    if (has_more) submit(rt, {source}, first);
    if (is_done) rt->ops->orchestration_done(rt);
  }

 private:
  [[nodiscard]] std::vector<PTOParam> params_of(const std::vector<Tensor>& inputs,
                                                const Tensor& output) const {
    std::vector<PTOParam> params{make_scalar_param(scalar), make_scalar_param(inputs.size() + 1),
                                 make_scalar_param(is_inout ? 1 : 0)};
    for (const Tensor& input_tensor : inputs) params.push_back(make_input_param(input_tensor));
    params.push_back(is_inout && inputs.size() > 1 ? make_inout_param(output)
                                                   : make_output_param(output));
    return params;
  }
  void submit(PTO2Runtime* rt, const std::vector<Tensor>& inputs, const Tensor& output) const {
    const std::vector<PTOParam> params = params_of(inputs, output);
    pto2_rt_submit_task(rt, kernel, type, params.data(), static_cast<int32_t>(params.size()));
  }
};

class ReplayedGraphs : public testing::Test {
 protected:
  /// What the memory holds after a run.
  std::array<uint64_t, 8> run(Calls calls, RecordedGraph* graph,
                              const DeviceConfig& config = small_device()) {
    static constexpr KernelEntry kernels[] = {sum_kernel, other_kernel, no_kernel};
    if (calls.memory == nullptr) calls.memory = memory_.data();
    if (calls.input == nullptr) calls.input = input_.data();
    std::iota(calls.input, calls.input + 8, 100);
    std::fill_n(calls.memory, 8, 1);
    Launch what{kernels,
                [&](PTO2Runtime* rt) {
                  pto2_rt_init_tensor_pool(rt);
                  calls(rt);
                },
                [&](int32_t, const char* text) { log_ += text; }};
    what.graph = graph;
    result_ = launch(config, executors::SeededOptions{.seed = ++seed_}, what);
    EXPECT_EQ(result_.error.code, ErrorCode::ok) << result_.error.message;
    std::array<uint64_t, 8> found{};
    std::copy_n(calls.memory, 8, found.begin());
    return found;
  }

  /// A run of `calls` after some of others is right, and says how it used their graph.
  GraphUse run_after(const Calls& recorded, const Calls& calls) {
    RecordedGraph graph;
    run(recorded, &graph);
    EXPECT_EQ(graph.use().kind, Kind::recorded);
    run(recorded, &graph);
    EXPECT_EQ(graph.use().kind, Kind::replayed);
    log_.clear();
    const auto found = run(calls, &graph);
    GraphUse use = result_.graph;
    EXPECT_EQ(found, run(calls, nullptr));
    return use;
  }
  GraphUse run_after(const Calls& calls) { return run_after({}, calls); }

  void expect_left(const Calls& calls, const std::string& reason) {
    const GraphUse use = run_after(calls);
    EXPECT_EQ(use.kind, Kind::left);
    EXPECT_THAT(use.reason, HasSubstr(reason));
  }

  std::array<uint64_t, 8> memory_{};
  std::array<uint64_t, 8> input_{};
  RunResult result_;
  std::string log_;
  uint64_t seed_ = 0;
};

TEST_F(ReplayedGraphs, AreTheSameEachTime) {
  RecordedGraph graph;
  const auto expected = run({}, nullptr);
  EXPECT_EQ(result_.graph.kind, Kind::none);
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(run({}, &graph), expected);
    EXPECT_EQ(result_.graph.kind, i == 0 ? Kind::recorded : Kind::replayed);
    EXPECT_EQ(result_.graph.tasks, 6U);
    EXPECT_EQ(result_.replayed, i != 0);
  }
  EXPECT_EQ(log_, "");
}

/// What the kernels compute with is no part of the graph.
TEST_F(ReplayedGraphs, MayHaveOtherScalars) {
  const GraphUse use = run_after({.scalar = 6});
  EXPECT_EQ(use.kind, Kind::replayed);
}

TEST_F(ReplayedGraphs, AreLeftWithAWord) {
  expect_left({.kernel = 1}, "call 4, submit_task, has other operands");
  EXPECT_THAT(log_, HasSubstr("the graph is not replayed any more: call 4, submit_task"));
  EXPECT_EQ(result_.graph.kind, Kind::none);
}

TEST_F(ReplayedGraphs, AreLeftAtEveryDifference) {
  std::array<uint64_t, 8> elsewhere{};
  expect_left({.memory = elsewhere.data()}, "call 1, make_tensor, has other");
  expect_left({.input = elsewhere.data()}, "call 0, make_tensor, has other");
  expect_left({.type = PTO2_WORKER_CUBE}, "call 4, submit_task, has other");
  expect_left({.rows = 3}, "call 2, make_tensor, has other");
  expect_left({.dtype = DataType::UINT64}, "call 2, make_tensor, has other");
  expect_left({.view_offset = 0}, "call 6, view, has other");
  expect_left({.view_offset = 0, .view_rows = 2}, "call 6, view, has other");
  expect_left({.is_view_of_other = true}, "call 6, view, has other");
  expect_left({.is_flat = true}, "call 7, reshape, has other");
  expect_left({.is_transposed_back = true}, "call 8, transpose, has other");
  expect_left({.is_inout = true}, "call 10, submit_task, has other");
  expect_left({.reads_other = true}, "call 14, submit_task, has other");
}

TEST_F(ReplayedGraphs, AreLeftAtCallsOfOtherKinds) {
  expect_left({.has_scope = false}, "call 9 is submit_task instead of scope_begin");
  expect_left({.tasks = 2}, "call 12 is scope_end instead of submit_task");
  expect_left({.tasks = 4}, "call 13 is submit_task instead of scope_end");
  expect_left({.has_more = true}, "call 15 is submit_task instead of nothing");
  expect_left({.is_done = true}, "call 15 is orchestration_done instead of nothing");
  expect_left({.parts = 2}, "call 14, submit_task, has other");
}

TEST_F(ReplayedGraphs, MayHaveBlockTasks) {
  EXPECT_EQ(run_after({.parts = 3}, {.parts = 3}).kind, Kind::replayed);
  EXPECT_EQ(run_after({.parts = 3}, {.parts = 4}).kind, Kind::left);
  EXPECT_EQ(run_after({.parts = 3}, {}).kind, Kind::left);
}

TEST_F(ReplayedGraphs, MayEndEarly) {
  const GraphUse use = run_after({.has_more = true}, {});
  EXPECT_EQ(use.kind, Kind::replayed);
  EXPECT_EQ(use.tasks, 6U);
}

TEST_F(ReplayedGraphs, AreRecordedAgainAfterTheyWereLeft) {
  RecordedGraph graph;
  const std::array expected{Kind::recorded, Kind::replayed, Kind::left, Kind::recorded,
                            Kind::replayed};
  for (std::size_t i = 0; i < expected.size(); ++i) {
    run({.tasks = i < 2 ? 3 : 4}, &graph);
    EXPECT_EQ(graph.use().kind, expected[i]) << i;
  }
}

/// The edges are those of one window, and the places in a task's block those of one guard.
TEST_F(ReplayedGraphs, AreOfOneDevice) {
  RecordedGraph graph;
  const auto use_on = [&](const DeviceConfig& config) {
    run({}, &graph, config);
    return graph.use().kind;
  };
  DeviceConfig config = small_device();
  EXPECT_EQ(use_on(config), Kind::recorded);
  config.heap_bytes *= 2;
  EXPECT_EQ(use_on(config), Kind::replayed);
  config.window *= 2;
  EXPECT_EQ(use_on(config), Kind::recorded);
  config.window /= 2;
  EXPECT_EQ(use_on(config), Kind::recorded);
  config.rings = config.rings == 1 ? 2 : 1;
  EXPECT_EQ(use_on(config), Kind::recorded);
  config.guard = GuardKind::on;
  EXPECT_EQ(use_on(config), Kind::recorded);
  EXPECT_EQ(use_on(config), Kind::replayed);
  config.guard = GuardKind::all;
  EXPECT_EQ(use_on(config), Kind::replayed);
}

/// The second argument is where to write the address of the first, a tensor.
void address_kernel(int64_t* args) {
  *reinterpret_cast<uint64_t*>(args[1]) = pto_tensor(args, 0).address;
}
/// The argument is a count.
void count_kernel(int64_t* args) {
  reinterpret_cast<std::atomic<int>*>(args[0])->fetch_add(1);
}

RunResult result_of(const Orchestration& orchestration, RecordedGraph& graph,
                    const DeviceConfig& config = small_device()) {
  static constexpr KernelEntry kernels[] = {no_kernel, address_kernel, count_kernel};
  Launch what{kernels,
              [&](PTO2Runtime* rt) {
                pto2_rt_init_tensor_pool(rt);
                orchestration(rt);
              },
              {}};
  what.graph = &graph;
  return launch(config, executors::SeededOptions{.seed = 1}, what);
}
GraphUse use_of(const Orchestration& orchestration, RecordedGraph& graph) {
  return result_of(orchestration, graph).graph;
}

TEST(RecordedGraphs, CannotHaveClusters) {
  RecordedGraph graph;
  for (int i = 0; i < 2; ++i) {
    const GraphUse use = use_of([](PTO2Runtime* rt) { pto2_rt_allocate_cluster(rt); }, graph);
    EXPECT_EQ(use.kind, Kind::refused);
    EXPECT_EQ(use.reason, "it allocates clusters");
  }
  EXPECT_EQ(use_of([](PTO2Runtime*) {}, graph).kind, Kind::recorded);
  EXPECT_EQ(use_of([](PTO2Runtime* rt) { pto2_rt_allocate_cluster(rt); }, graph).kind, Kind::left);
}

TEST(RecordedGraphs, AreNotThoseOfRunsThatFail) {
  RecordedGraph graph;
  const auto fail = [](PTO2Runtime* rt) { pto2_rt_submit_task(rt, 7, 0, nullptr, 0); };
  EXPECT_EQ(use_of(fail, graph).kind, Kind::none);
  const auto submit = [](PTO2Runtime* rt) { pto2_rt_submit_task(rt, 0, 0, nullptr, 0); };
  EXPECT_EQ(use_of(submit, graph).kind, Kind::recorded);
  EXPECT_EQ(use_of([&](PTO2Runtime* rt) { pto2_rt_fail(rt, 1, "no"); }, graph).kind, Kind::none);
  EXPECT_EQ(use_of(submit, graph).kind, Kind::replayed);
}

TEST(RecordedGraphs, AreNoWayRoundARefusal) {
  RecordedGraph graph;
  int32_t kernel = 0;
  const auto submit = [&](PTO2Runtime* rt) { pto2_rt_submit_task(rt, kernel, 0, nullptr, 0); };
  EXPECT_EQ(use_of(submit, graph).kind, Kind::recorded);
  kernel = 7;
  EXPECT_EQ(result_of(submit, graph).error.code, ErrorCode::bad_submission);
  kernel = 0;
  EXPECT_EQ(use_of(submit, graph).kind, Kind::replayed);
}

/// Tasks that schedulers run, and block tasks, more of them than there is room for at a time.
TEST(RecordedGraphs, MayHaveTasksOfAllKinds) {
  constexpr int rounds = 40;
  constexpr int parts = 3;
  RecordedGraph graph;
  for (const Kind expected : {Kind::recorded, Kind::replayed}) {
    std::atomic<int> runs{0};
    const auto submit = [&](PTO2Runtime* rt) {
      const PTOParam count = make_scalar_param(reinterpret_cast<uint64_t>(&runs));
      for (int i = 0; i < rounds; ++i) {
        PTO2_SCOPE(rt) {
          pto2_rt_submit_task(rt, 2, PTO2_WORKER_AI_CPU, &count, 1);
          pto2_rt_submit_block_task(rt, 2, PTO2_WORKER_VECTOR, &count, 1, parts);
        }
      }
    };
    const RunResult result = result_of(submit, graph, tiny_device());
    EXPECT_EQ(result.graph.kind, expected);
    EXPECT_GT(result.waits, 0U);
    EXPECT_EQ(runs.load(), rounds * (1 + parts));
  }
}

TEST(RecordedGraphs, TellWhereTensorsAre) {
  RecordedGraph graph;
  for (const Kind expected : {Kind::recorded, Kind::replayed}) {
    uint64_t address = 0;
    std::string told;
    const auto submit = [&](PTO2Runtime* rt) {
      const std::array<uint64_t, 1> shape{4};
      const Tensor tensor = make_tensor(shape.data(), 1, DataType::INT64);
      const PTOParam params[] = {make_output_param(tensor),
                                 make_scalar_param(reinterpret_cast<uint64_t>(&address))};
      pto2_rt_submit_task(rt, 1, PTO2_WORKER_VECTOR, params, 2);
      told = tensor.dump();
    };
    EXPECT_EQ(use_of(submit, graph).kind, expected);
    std::ostringstream place;
    place << "at 0x" << std::hex << address << ",";
    EXPECT_THAT(told, HasSubstr(place.str()));
  }
}

/// A handle of the run before, or of a scope that has ended, is none.
TEST(RecordedGraphs, HaveTheirHandlesChecked) {
  static constexpr uint64_t shape[] = {4};
  RecordedGraph graph;
  Tensor kept;
  Tensor inner;
  const auto make = [&](PTO2Runtime* rt) {
    kept = make_tensor(shape, 1);
    PTO2_SCOPE(rt) {
      inner = make_tensor(shape, 1);
      EXPECT_EQ(inner.numel(), 4U);
      EXPECT_EQ(kept.numel(), 4U);
    }
  };
  EXPECT_EQ(use_of(make, graph).kind, Kind::recorded);
  const Tensor former = kept;
  EXPECT_EQ(use_of(make, graph).kind, Kind::replayed);
  EXPECT_NE(former.id, kept.id);
  const auto ask = [&](const Tensor& tensor) {
    return use_of(
               [&](PTO2Runtime* rt) {
                 make(rt);
                 EXPECT_EQ(tensor.numel(), 0U);
               },
               graph)
        .kind;
  };
  EXPECT_EQ(ask(former), Kind::none) << "the run has failed";
  EXPECT_EQ(ask(inner), Kind::none);
}

/// The producers of each task of a replayed run, by their numbers.
std::vector<std::vector<uint64_t>> producers_of(const Orchestration& orchestration) {
  static constexpr KernelEntry kernels[] = {no_kernel};
  RecordedGraph graph;
  RunResult result;
  DeviceConfig config = small_device();
  config.rings = 1;
  config.events = 1 << 12;
  for (int i = 0; i < 2; ++i) {
    Launch what{kernels,
                [&](PTO2Runtime* rt) {
                  pto2_rt_init_tensor_pool(rt);
                  orchestration(rt);
                },
                {}};
    what.graph = &graph;
    result = launch(config, executors::SeededOptions{.seed = 1, .kernels_last = true}, what);
  }
  EXPECT_EQ(result.graph.kind, Kind::replayed);
  std::vector<std::vector<uint64_t>> producers;
  for (const auto& task : result.record.tasks) {
    auto& numbers = producers.emplace_back();
    for (const auto& producer : task.producers) numbers.push_back(local_of(producer.task));
    std::ranges::sort(numbers);
  }
  return producers;
}

void submit(PTO2Runtime* rt, const std::vector<PTOParam>& params) {
  pto2_rt_submit_task(rt, 0, PTO2_WORKER_VECTOR, params.data(),
                      static_cast<int32_t>(params.size()));
}

/// Four words of the caller, and each of them.
struct Words {
  Tensor all;
  std::array<Tensor, 4> each;

  explicit Words(uint64_t* memory) {
    static constexpr uint64_t four[] = {4};
    static constexpr uint64_t one[] = {1};
    all = make_tensor_external(memory, four, 1, DataType::INT64);
    for (uint64_t i = 0; i < 4; ++i) each[i] = all.view(one, &i);
  }
};

/// Who is written over is forgotten only if the writer is ordered behind it, and covers it.
TEST(RecordedGraphs, ForgetOrderedWritesThatAreCovered) {
  uint64_t memory[4] = {};
  uint64_t other[4] = {};
  const auto producers = producers_of([&](PTO2Runtime* rt) {
    const Words words(memory);
    const Words flags(other);
    submit(rt, {make_output_param(words.all), make_output_param(flags.all)});         // 0
    submit(rt, {make_output_param(words.each[0])});                                   // 1
    submit(rt, {make_input_param(flags.each[1]), make_output_param(words.each[1])});  // 2
    submit(rt, {make_output_param(words.each[1])});                                   // 3
    submit(rt, {make_input_param(words.each[0])});                                    // 4
    submit(rt, {make_input_param(words.each[1])});                                    // 5
    submit(rt, {make_input_param(words.each[2])});                                    // 6
    submit(rt, {make_input_param(words.all), make_output_param(words.all)});          // 7
    submit(rt, {make_input_param(words.each[3])});                                    // 8
  });
  const std::vector<std::vector<uint64_t>> expected{{},     {},  {0},       {}, {0, 1},
                                                    {2, 3}, {0}, {1, 2, 3}, {7}};
  EXPECT_EQ(producers, expected);
}

/// Of three tasks in a row, each of which reads what those before it wrote, the last needs one
/// edge.
TEST(RecordedGraphs, LeaveOutEdgesThatOthersMakeSuperfluous) {
  uint64_t memory[4] = {};
  const auto producers = producers_of([&](PTO2Runtime* rt) {
    const Words words(memory);
    submit(rt, {make_output_param(words.each[0])});                                   // 0
    submit(rt, {make_input_param(words.each[0]), make_output_param(words.each[1])});  // 1
    submit(rt, {make_input_param(words.each[1]), make_output_param(words.each[2])});  // 2
    submit(rt, {make_input_param(words.all)});                                        // 3
    static constexpr uint64_t four[] = {4};
    const Tensor own = make_tensor(four, 1, DataType::INT64);
    submit(rt, {make_output_param(own)});                                   // 4
    submit(rt, {make_input_param(own), make_output_param(words.each[3])});  // 5
    submit(rt, {make_input_param(words.each[3]), make_input_param(own)});   // 6
  });
  const std::vector<std::vector<uint64_t>> expected{{}, {0}, {1}, {2}, {}, {4}, {4, 5}};
  EXPECT_EQ(producers, expected);
}

}  // namespace
}  // namespace pto2::test
