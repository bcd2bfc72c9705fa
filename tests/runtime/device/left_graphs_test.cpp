/// Graphs that are left half way, and what an orchestration can see of being replayed: nothing.
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "runtime/device/launch_on.hpp"
#include "runtime/executors/random.hpp"
#include "runtime/include/pto_kernel_api.h"
#include "runtime/orchestrator/recorded_graph.hpp"
#include "tests/runtime/device/task_graph.hpp"

namespace pto2::test {
namespace {

using Kind = GraphUse::Kind;
using Orchestration = std::function<void(PTO2Runtime*)>;

RunResult run_with(RecordedGraph* graph, const Orchestration& orchestration,
                   const DeviceConfig& config = small_device(), KernelEntry kernel = no_kernel) {
  const KernelEntry kernels[] = {kernel, no_kernel};
  Launch what{kernels,
              [&](PTO2Runtime* rt) {
                pto2_rt_init_tensor_pool(rt);
                orchestration(rt);
              },
              {}};
  what.graph = graph;
  return launch(config, executors::SeededOptions{.seed = 1}, what);
}

void submit_params(PTO2Runtime* rt, const std::vector<PTOParam>& params, int32_t kernel = 0) {
  pto2_rt_submit_task(rt, kernel, PTO2_WORKER_VECTOR, params.data(),
                      static_cast<int32_t>(params.size()));
}

Tensor make(uint64_t elements) {
  return make_tensor(&elements, 1, DataType::INT64);
}

/// A random orchestration of tasks, updates, views and scopes, that differs from itself at will.
class Orchestrated {
 public:
  explicit Orchestrated(uint64_t number) : number_(number), steps_(20 + number * 7 % 180) {}

  /// With one task more, somewhere.
  void differ() { change_ = number_ * 13 % steps_; }
  void operator()(PTO2Runtime* rt) {
    random_.emplace(number_);
    graph_.emplace(rt);
    values_.clear();
    marks_.clear();
    for (auto& words : memory_) {
      words.fill(7);
      values_.push_back({graph_->external(words.data(), 4), false});
    }
    for (uint64_t step = 0; step < steps_; ++step) {
      if (step == change_) (void)graph_->task({}, 2);
      take_step(rt);
    }
    while (!marks_.empty()) end_scope(rt);
  }
  void verify() const { graph_->verify(); }

 private:
  struct Named {
    Value value;
    bool is_read;  ///< and so is never written again: nothing orders who writes behind who reads
  };

  void take_step(PTO2Runtime* rt) {
    const uint64_t what = random_->below(10);
    if (what < 4) {
      const std::vector<Value> inputs = draw_inputs(4);
      const auto elements = static_cast<uint32_t>(1 + random_->below(4));
      values_.push_back({graph_->task(inputs, elements), false});
    } else if (what < 8) {
      Named& named = values_[random_->below(values_.size())];
      if (!named.is_read) graph_->update(named.value);
    } else if (what == 8 && marks_.size() < 3) {
      marks_.push_back(values_.size());
      rt->ops->scope_begin(rt);
    } else if (what == 9 && !marks_.empty()) {
      end_scope(rt);
    }
  }
  void end_scope(PTO2Runtime* rt) {
    values_.resize(marks_.back());
    marks_.pop_back();
    rt->ops->scope_end(rt);
  }
  std::vector<Value> draw_inputs(uint64_t most) {
    std::vector<Value> inputs;
    std::set<std::size_t> drawn;
    for (uint64_t n = random_->below(most + 1); n != 0; --n)
      drawn.insert(random_->below(values_.size()));
    for (const std::size_t i : drawn) {
      values_[i].is_read = true;
      Value value = values_[i].value;
      if (value.elements > 1 && random_->below(3) == 0) {
        static constexpr uint32_t one[] = {1};
        value.tensor = value.tensor.view(one, one);
        value.elements = 1;
      }
      inputs.push_back(value);
    }
    return inputs;
  }

  uint64_t number_;
  uint64_t steps_;
  uint64_t change_ = ~uint64_t{0};
  std::array<std::array<uint64_t, 4>, 3> memory_{};
  std::optional<executors::Random> random_;
  std::optional<TaskGraph> graph_;
  std::vector<Named> values_;
  std::vector<std::size_t> marks_;
};

DeviceConfig device_of(uint64_t number) {
  DeviceConfig config = small_device();
  config.window = uint32_t{32} << number % 4;
  config.heap_bytes = 1 << 20;
  config.dep_pool = 4096;
  config.rings = static_cast<uint32_t>(1 + number % 4);
  config.guard = static_cast<GuardKind>(number % 3);
  return config;
}

TEST(LeftGraphs, GoOnFromAnyPlace) {
  uint64_t left = 0;
  for (uint64_t number = 0; number < seeds_of(400) && !testing::Test::HasFailure(); ++number) {
    RecordedGraph graph;
    Orchestrated orchestrated(number);
    for (int i = 0; i < 3; ++i) {
      if (i == 2) orchestrated.differ();
      const RunResult result = run_with(
          &graph, [&](PTO2Runtime* rt) { orchestrated(rt); }, device_of(number), hash_kernel);
      if (result.error.code == ErrorCode::flow_control_deadlock) break;  // of a small window
      ASSERT_EQ(result.error.code, ErrorCode::ok) << number << ": " << result.error.message;
      ASSERT_THAT(result.damaged, testing::IsEmpty());
      orchestrated.verify();
      left += result.graph.kind == Kind::left ? 1 : 0;
    }
  }
  EXPECT_GT(left, seeds_of(400) / 2);
}

/// Every number of a call is compared, not the first of its dimensions alone.
TEST(LeftGraphs, AreLeftAtEachDimension) {
  for (int what = 0; what < 6; ++what) {
    RecordedGraph graph;
    bool differs = false;
    const auto at = [&](int which, uint64_t usual, uint64_t other) {
      return differs && what == which ? other : usual;
    };
    const auto orchestration = [&](PTO2Runtime* rt) {
      const uint64_t shape[] = {4, at(0, 4, 5)};
      const Tensor tensor = make_tensor(shape, 2, DataType::INT64);
      submit_params(rt, {make_output_param(tensor)});
      const uint64_t box[] = {2, at(1, 2, 1)};
      const uint64_t offsets[] = {1, at(2, 0, 1)};
      (void)tensor.view(box, offsets);
      const uint64_t other[] = {2, at(3, 8, 4), at(3, 1, 2)};
      if (shape[1] == 4) (void)tensor.reshape(other, 3);
      (void)tensor.transpose(static_cast<uint32_t>(at(4, 0, 1)), 1);
      (void)tensor.transpose(1, static_cast<uint32_t>(at(5, 0, 1)));
    };
    EXPECT_EQ(run_with(&graph, orchestration).graph.kind, Kind::recorded);
    differs = true;
    EXPECT_EQ(run_with(&graph, orchestration).graph.kind, Kind::left) << what;
  }
}

/// The scope that the runtime has opened, too.
TEST(LeftGraphs, MayEndTheirOuterScope) {
  RecordedGraph graph;
  const auto orchestration = [](PTO2Runtime* rt) {
    submit_params(rt, {make_output_param(make(4))});
    rt->ops->scope_end(rt);
  };
  EXPECT_EQ(run_with(&graph, orchestration).graph.kind, Kind::recorded);
  EXPECT_EQ(run_with(&graph, orchestration).graph.kind, Kind::replayed);
}

/// Who keeps the table of functions calls the same ones after the graph was left.
TEST(LeftGraphs, MayHaveTheirFunctionsKept) {
  RecordedGraph graph;
  int32_t kernel = 0;
  const auto orchestration = [&](PTO2Runtime* rt) {
    const PTO2RuntimeOps* const ops = rt->ops;
    ops->submit_task(rt, kernel, 0, nullptr, 0);
    ops->submit_task(rt, 0, 0, nullptr, 0);
    ops->scope_begin(rt);
    static constexpr uint64_t shape[] = {4};
    const uint64_t tensor = ops->make_tensor(rt, 0, shape, 1, DataType::INT64);
    EXPECT_EQ(ops->numel(rt, tensor), 4U);
    ops->scope_end(rt);
  };
  EXPECT_EQ(run_with(&graph, orchestration).graph.kind, Kind::recorded);
  kernel = 1;
  const RunResult result = run_with(&graph, orchestration);
  EXPECT_EQ(result.graph.kind, Kind::left);
  EXPECT_EQ(result.error.code, ErrorCode::ok);
}

/// A run on `scarce`, of a graph that was recorded where there was more, tells of its deadlock what
/// it would without.
void expect_same_deadlock(const Orchestration& recorded, const Orchestration& orchestration,
                          const DeviceConfig& scarce) {
  DeviceConfig ample = scarce;
  ample.heap_bytes = 1 << 20;
  ample.dep_pool = 1024;
  ample.tensormap_pool = 1024;
  RecordedGraph graph;
  EXPECT_EQ(run_with(&graph, recorded, ample).graph.kind, Kind::recorded);
  const RunResult expected = run_with(nullptr, orchestration, scarce);
  EXPECT_NE(expected.error.code, ErrorCode::ok);
  const RunResult result = run_with(&graph, orchestration, scarce);
  EXPECT_EQ(result.graph.kind, Kind::left);
  EXPECT_EQ(result.error.message, expected.error.message);
  EXPECT_EQ(result.error.hint, expected.error.hint);
}

void submit_outputs(PTO2Runtime* rt, int count, uint64_t elements) {
  for (int i = 0; i < count; ++i) submit_params(rt, {make_output_param(make(elements))});
}

TEST(LeftGraphs, TellOfADeadlockAsOthersDo) {
  DeviceConfig scarce = small_device();
  scarce.window = 128;
  scarce.heap_bytes = 1 << 13;
  const auto fill_heap = [](PTO2Runtime* rt) {
    PTO2_SCOPE(rt) {
      submit_outputs(rt, 10, 256);
    }
  };
  expect_same_deadlock(fill_heap, fill_heap, scarce);
  scarce.heap_bytes = 1 << 20;
  scarce.dep_pool = 16;
  const auto take_nodes = [](PTO2Runtime* rt) {
    PTO2_SCOPE(rt) {
      std::vector<PTOParam> params;
      for (int i = 0; i < 20; ++i) {
        const Tensor tensor = make(4);
        submit_params(rt, {make_output_param(tensor)});
        params.push_back(make_input_param(tensor));
      }
      submit_params(rt, params);
    }
  };
  expect_same_deadlock(take_nodes, take_nodes, scarce);
}

/// Replayed tasks need no entries; when the graph is left, they have as many as there are.
TEST(LeftGraphs, LeaveTheTensorMapAsLargeAsItIs) {
  DeviceConfig scarce = small_device();
  scarce.window = 128;
  scarce.heap_bytes = 1 << 20;
  scarce.tensormap_pool = 32;
  const auto outputs = [](int count) {
    return [count](PTO2Runtime* rt) { submit_outputs(rt, count, 4); };
  };
  expect_same_deadlock(outputs(30), outputs(60), scarce);
  RecordedGraph graph;
  DeviceConfig ample = scarce;
  ample.tensormap_pool = 1024;
  EXPECT_EQ(run_with(&graph, outputs(40), ample).graph.kind, Kind::recorded);
  const RunResult result = run_with(&graph, outputs(60), scarce);
  EXPECT_EQ(result.graph.kind, Kind::left);
  EXPECT_EQ(result.error.code, ErrorCode::tensormap_overflow);
  EXPECT_THAT(result.error.message, testing::HasSubstr("40"));
  EXPECT_THAT(result.error.message, testing::HasSubstr("Pool size: 32"));
}

/// What a tensor's line says, but for addresses and generations.
TEST(LeftGraphs, DescribeTensorsAsOthersDo) {
  static constexpr uint64_t shape[] = {4, 8};
  uint64_t memory[32] = {};
  RecordedGraph graph;
  std::string seen;
  const auto show = [&](const Tensor& tensor) {
    std::string line = tensor.dump();
    for (const char* const number : {"at 0x", "handle 0x"}) {
      const std::size_t at = line.find(number);
      if (at != std::string::npos) line.erase(at, line.find_first_of(" ,", at + 8) - at);
    }
    seen += fmt::format("{}: {}\n", tensor.id & 0xffffffffU, line);
  };
  const auto orchestration = [&](PTO2Runtime* rt) {
    seen.clear();
    const Tensor external = make_tensor_external(memory, shape, 2, DataType::INT64);
    const Tensor output = make_tensor(shape, 2, DataType::INT64);
    show(external);
    show(output);
    submit_params(rt, {make_output_param(output)});
    show(output);
    static constexpr uint32_t box[] = {2, 3};
    static constexpr uint32_t offsets[] = {1, 2};
    show(output.view(box, offsets).transpose(0, 1));
    show(external.view(box, offsets));
    Tensor inner;
    PTO2_SCOPE(rt) {
      inner = make(2);
      show(inner);
    }
    show(inner);
  };
  run_with(&graph, orchestration);
  const std::string expected = seen;
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(run_with(&graph, orchestration).graph.kind, Kind::replayed);
    EXPECT_EQ(seen, expected);
  }
}

/// With zones round each of them, and after the graph was left.
TEST(LeftGraphs, HaveGuardedOutputsApart) {
  static std::vector<uint64_t> places;
  const auto note_places = [](int64_t* args) {
    for (int i = 0; i < 3; ++i) {
      const PTOTensor& tensor = pto_tensor(args, i);
      places.push_back(tensor.address - pto_tensor(args, 0).address);
      std::fill_n(tensor.data<uint64_t>(), tensor.shape[0], 1);
    }
  };
  for (const uint64_t elements : {1, 100, 128, 500}) {
    RecordedGraph graph;
    bool differs = false;
    const auto orchestration = [&](PTO2Runtime* rt) {
      std::vector<PTOParam> outputs;
      std::vector<PTOParam> again;
      for (int i = 0; i < 3; ++i) {
        const Tensor tensor = make(elements);
        outputs.push_back(make_output_param(tensor));
        again.push_back(make_inout_param(tensor));
      }
      submit_params(rt, outputs);
      if (differs) submit_params(rt, {}, 1);
      submit_params(rt, again);
    };
    DeviceConfig config = small_device();
    config.heap_bytes = 1 << 20;
    config.guard = GuardKind::on;
    std::vector<uint64_t> expected;
    for (int i = 0; i < 3; ++i) {
      places.clear();
      differs = i == 2;
      const RunResult result = run_with(&graph, orchestration, config, note_places);
      EXPECT_EQ(result.error.code, ErrorCode::ok) << result.error.message;
      if (i == 0) expected = places;
      EXPECT_EQ(places, expected) << i;
    }
    ASSERT_EQ(expected.size(), 6U);
    EXPECT_TRUE(std::equal(expected.begin(), expected.begin() + 3, expected.begin() + 3));
  }
}

/// Edges that grow with the window, and look-ups that do, are not worth it.
TEST(LeftGraphs, AreNotRecordedAtAnyPrice) {
  static constexpr uint64_t shape[] = {1 << 14};
  std::vector<uint64_t> memory(shape[0]);
  DeviceConfig config = small_device();
  config.window = 65536;
  config.dep_pool = 1 << 18;
  config.tensormap_pool = 65536;
  const auto writers = [&](PTO2Runtime* rt) {
    const Tensor tensor = make_tensor_external(memory.data(), shape, 1, DataType::INT64);
    for (int i = 0; i < 1500; ++i) {
      PTO2_SCOPE(rt) {
        submit_params(rt, {make_output_param(tensor)});
        submit_params(rt, {make_input_param(tensor)});
      }
    }
  };
  RecordedGraph graph;
  EXPECT_EQ(run_with(&graph, writers, config).graph.reason,
            "it has too many writers that nothing orders");
  const auto parts = [&](PTO2Runtime* rt) {
    const Tensor tensor = make_tensor_external(memory.data(), shape, 1, DataType::INT64);
    for (uint64_t i = 0; i < shape[0]; ++i) {
      PTO2_SCOPE(rt) {
        static constexpr uint64_t one[] = {1};
        submit_params(rt, {make_inout_param(tensor.view(one, &i))});
      }
    }
  };
  EXPECT_EQ(run_with(&graph, parts, config).graph.reason, "it writes too many parts of buffers");
  EXPECT_EQ(graph.use().kind, Kind::refused);
}

/// Look-ups go by the parts of their own buffer, however many others have some.
TEST(LeftGraphs, MayHavePartsOfManyBuffers) {
  static constexpr uint64_t shape[] = {2};
  static constexpr uint64_t one[] = {1};
  static constexpr uint64_t zero[] = {0};
  std::vector<uint64_t> memory(shape[0] << 14);
  DeviceConfig config = small_device();
  config.window = 65536;
  config.tensormap_pool = 65536;
  const auto parts = [&](PTO2Runtime* rt) {
    for (std::size_t i = 0; i < memory.size(); i += shape[0]) {
      PTO2_SCOPE(rt) {
        const Tensor tensor = make_tensor_external(&memory[i], shape, 1, DataType::INT64);
        const Tensor part = tensor.view(one, zero);
        submit_params(rt, {make_inout_param(part)});
        submit_params(rt, {make_input_param(part), make_input_param(tensor)});
      }
    }
  };
  RecordedGraph graph;
  const GraphUse use = run_with(&graph, parts, config).graph;
  EXPECT_EQ(use.kind, Kind::recorded) << use.reason;
}

/// A tensor's generation is that of the first one and its number, which needs no carry.
TEST(LeftGraphs, HaveGenerationsThatDoNotEnd) {
  for (int i = 0; i < 1000; ++i) {
    const uint32_t first = next_generation_of_graph();
    EXPECT_NE(first, 0U);
    EXPECT_LT(first, uint32_t{1} << 31);
  }
}

/// A whole that is written behind one of two parts hides neither.
TEST(LeftGraphs, KeepWhatIsNotOrderedAsAWhole) {
  RecordedGraph graph;
  const auto orchestration = [](PTO2Runtime* rt) {
    const Tensor whole = make(2);
    const Tensor flag = make(2);
    static constexpr uint64_t one[] = {1};
    static constexpr uint64_t zero[] = {0};
    submit_params(rt, {make_output_param(whole)});                                          // 0
    submit_params(rt, {make_output_param(whole.view(one, zero))});                          // 1
    submit_params(rt, {make_output_param(whole.view(one, one))});                           // 2
    submit_params(rt, {make_input_param(whole.view(one, zero)), make_output_param(flag)});  // 3
    submit_params(rt, {make_input_param(flag), make_output_param(whole)});                  // 4
    submit_params(rt, {make_input_param(whole)});                                           // 5
  };
  EXPECT_EQ(run_with(&graph, orchestration).graph.kind, Kind::recorded);
  std::set<uint64_t> producers;
  for (const TaskId id : graph.producers(graph.task(5))) producers.insert(local_of(id));
  EXPECT_EQ(producers, (std::set<uint64_t>{0, 2, 4}));
}

}  // namespace
}  // namespace pto2::test
