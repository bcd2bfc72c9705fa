/// What a user meets when the orchestration is wrong, and that the next launch works.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "runtime/executors/random.hpp"
#include "tests/runtime/device/task_graph.hpp"

namespace pto2::test {
namespace {

using testing::HasSubstr;

class Errors : public testing::TestWithParam<ExecutorKind> {
 protected:
  /// A graph that outlives the run: kernels may start after the orchestration has failed.
  TaskGraph& graph_of(PTO2Runtime* rt) { return graphs_.emplace_back(rt); }

  /// A deadlock reproduction: tasks in one scope, each reading the former.
  void chain(PTO2Runtime* rt, int tasks, uint32_t elements) {
    TaskGraph& graph = graph_of(rt);
    Value value = graph.task({}, elements);
    for (int i = 1; i < tasks; ++i) value = graph.task({value}, elements);
  }

  RunResult run(const DeviceConfig& config, const std::function<void(PTO2Runtime*)>& entry) {
    static constexpr KernelEntry kernels[] = {hash_kernel, nullptr, no_kernel};
    return run_at(GetParam(), config, {kernels, entry, {}});
  }

  /// Expects an error, and that a further launch works.
  void expect_error(const DeviceConfig& config, ErrorCode code, const char* message,
                    const char* hint, const std::function<void(PTO2Runtime*)>& entry) {
    const RunResult result = run(config, entry);
    EXPECT_EQ(result.error.code, code) << result.error.message;
    EXPECT_THAT(result.error.message, HasSubstr(message));
    EXPECT_THAT(result.error.hint, HasSubstr(hint));
    expect_graph(
        GetParam(), config, [](TaskGraph& graph) { (void)graph.task({}); }, 1);
  }

 private:
  std::deque<TaskGraph> graphs_;
};

INSTANTIATE_TEST_SUITE_P(Everywhere, Errors, testing::ValuesIn(everywhere()),
                         [](const auto& test) { return executor_name(test.param); });

TEST_P(Errors, MoreThan32Parameters) {
  expect_error(small_device(), ErrorCode::bad_submission, "33 parameters, at most 32", "one tensor",
               [&](PTO2Runtime* rt) {
                 std::vector<PTOParam> params(33, make_scalar_param(0));
                 pto2_rt_submit_task(rt, 0, PTO2_WORKER_CUBE, params.data(), 33);
               });
}

TEST_P(Errors, FewerThanNoParameters) {
  const PTOParam none = make_scalar_param(0);
  expect_error(small_device(), ErrorCode::bad_submission, "submission 0: -1 parameters in an array",
               "the number of its elements",
               [&](PTO2Runtime* rt) { pto2_rt_submit_task(rt, 0, PTO2_WORKER_CUBE, &none, -1); });
  expect_error(small_device(), ErrorCode::bad_submission, "submission 0: -1 parameters in an array",
               "the number of its elements", [&](PTO2Runtime* rt) {
                 pto2_rt_submit_block_task(rt, 0, PTO2_WORKER_CUBE, &none, -1, 2);
               });
}

TEST_P(Errors, ParametersNowhere) {
  expect_error(small_device(), ErrorCode::bad_submission,
               "submission 0: 3 parameters in no array (its address is null)", "pass an array",
               [&](PTO2Runtime* rt) { pto2_rt_submit_task(rt, 0, PTO2_WORKER_CUBE, nullptr, 3); });
}

TEST_P(Errors, UnknownKernel) {
  for (const int32_t kernel : {-1, 1, 3, 1000}) {
    expect_error(
        small_device(), ErrorCode::bad_submission,
        ("there is no kernel " + std::to_string(kernel)).c_str(), "kernels folder",
        [&](PTO2Runtime* rt) { pto2_rt_submit_task(rt, kernel, PTO2_WORKER_CUBE, nullptr, 0); });
  }
}

TEST_P(Errors, UnknownWorkerType) {
  expect_error(small_device(), ErrorCode::bad_submission, "7 is no worker type", "PTO2_WORKER_CUBE",
               [&](PTO2Runtime* rt) {
                 pto2_rt_submit_task(rt, 0, static_cast<PTO2WorkerType>(7), nullptr, 0);
               });
}

TEST_P(Errors, HandleOfAScopeThatHasEnded) {
  expect_error(small_device(), ErrorCode::bad_submission, "parameter 1", "scope that made it",
               [&](PTO2Runtime* rt) {
                 TaskGraph& graph = graph_of(rt);
                 Value value;
                 PTO2_SCOPE(rt) {
                   value = graph.task({});
                 }
                 (void)graph.task({value});
                 EXPECT_EQ(graph.tasks(), 2u);
               });
}

TEST_P(Errors, HandleOfAnotherLaunch) {
  const auto make = [](PTO2Runtime* rt) {
    pto2_rt_init_tensor_pool(rt);
    const uint64_t shape[] = {1};
    static uint64_t memory;
    return make_tensor_external(&memory, shape, 1, DataType::UINT64);
  };
  Tensor kept;
  EXPECT_EQ(run(small_device(), [&](PTO2Runtime* rt) { kept = make(rt); }).error.code,
            ErrorCode::ok);
  expect_error(small_device(), ErrorCode::bad_submission, "not a live tensor", "scope that made it",
               [&](PTO2Runtime* rt) {
                 EXPECT_NE(make(rt).id, kept.id);
                 const PTOParam params[] = {make_input_param(kept)};
                 pto2_rt_submit_task(rt, 0, PTO2_WORKER_CUBE, params, 1);
               });
}

/// A tensor of the outer scope whose memory comes from a task of an inner one.
struct InnerOutput {
  Tensor tensor;
  static void submit(PTO2Runtime* rt, const PTOParam& param) {
    static TaskRecord record;
    const PTOParam params[] = {make_scalar_param(reinterpret_cast<uint64_t>(&record)), param};
    pto2_rt_submit_task(rt, 0, PTO2_WORKER_CUBE, params, 2);
  }

  explicit InnerOutput(PTO2Runtime* rt) {
    pto2_rt_init_tensor_pool(rt);
    const uint64_t shape[] = {1};
    tensor = make_tensor(shape, 1, DataType::UINT64);
    PTO2_SCOPE(rt) {
      submit(rt, make_output_param(tensor));
    }
  }
  void read(PTO2Runtime* rt) const { submit(rt, make_input_param(tensor)); }
};

TEST_P(Errors, MemoryOfAScopeThatHasEnded) {
  expect_error(small_device(), ErrorCode::bad_submission, "whose scope has ended", "encloses",
               [&](PTO2Runtime* rt) { InnerOutput(rt).read(rt); });
}

TEST_P(Errors, MemoryOfTheScopeBefore) {
  expect_error(small_device(), ErrorCode::bad_submission, "whose scope has ended", "encloses",
               [&](PTO2Runtime* rt) {
                 const InnerOutput output(rt);
                 PTO2_SCOPE(rt) {
                   output.read(rt);
                 }
               });
}

TEST_P(Errors, MemoryOfATaskWhoseSlotIsAnothersNow) {
  DeviceConfig config = small_device();
  config.window = 4;
  expect_error(config, ErrorCode::bad_submission, "belongs to task 0 of ring 1", "encloses",
               [&](PTO2Runtime* rt) {
                 const InnerOutput output(rt);
                 PTO2_SCOPE(rt) {
                   (void)graph_of(rt).task({});
                 }
                 PTO2_SCOPE(rt) {
                   TaskGraph& graph = graph_of(rt);
                   for (int i = 0; i < 3; ++i) (void)graph.task({});
                   output.read(rt);
                 }
               });
}

TEST_P(Errors, TensorThatNobodyWrote) {
  expect_error(small_device(), ErrorCode::bad_submission, "no memory yet", "OUTPUT",
               [&](PTO2Runtime* rt) {
                 TaskGraph& graph = graph_of(rt);
                 const uint64_t shape[] = {1};
                 (void)graph.task({{make_tensor(shape, 1, DataType::UINT64), 0, 1}});
               });
}

TEST_P(Errors, ExternalTensorsNowhere) {
  const auto external = [] {
    const uint64_t shape[] = {1};
    return make_tensor_external(nullptr, shape, 1, DataType::UINT64);
  };
  expect_error(small_device(), ErrorCode::bad_submission,
               "the tensor is external, and its address is null", "give make_tensor_external()",
               [&](PTO2Runtime* rt) {
                 (void)graph_of(rt).task({{external(), 0, 1}});
               });
  expect_error(small_device(), ErrorCode::bad_submission,
               "view: the tensor of shape [1] is external, and its address is null", "",
               [&](PTO2Runtime* rt) {
                 (void)graph_of(rt);
                 const uint64_t one[] = {1};
                 const uint64_t none[] = {0};
                 (void)external().view(one, none);
               });
}

TEST_P(Errors, NewTensorThatIsOutputTwice) {
  expect_error(small_device(), ErrorCode::bad_submission, "parameter 1: the tensor has no memory",
               "once", [&](PTO2Runtime* rt) {
                 pto2_rt_init_tensor_pool(rt);
                 const uint64_t shape[] = {1};
                 const Tensor tensor = make_tensor(shape, 1, DataType::UINT64);
                 const PTOParam params[] = {make_output_param(tensor), make_output_param(tensor)};
                 pto2_rt_submit_task(rt, 2, PTO2_WORKER_CUBE, params, 2);
               });
}

TEST_P(Errors, SubmissionAfterTheEnd) {
  expect_error(small_device(), ErrorCode::bad_submission, "the orchestration is done", "before",
               [&](PTO2Runtime* rt) {
                 pto2_rt_orchestration_done(rt);
                 pto2_rt_submit_task(rt, 0, PTO2_WORKER_CUBE, nullptr, 0);
               });
}

TEST_P(Errors, SubmissionBehindTheOuterScope) {
  expect_error(small_device(), ErrorCode::bad_submission, "the orchestration is done", "before",
               [&](PTO2Runtime* rt) {
                 rt->ops->scope_end(rt);
                 pto2_rt_submit_task(rt, 0, PTO2_WORKER_CUBE, nullptr, 0);
               });
}

TEST_P(Errors, UnknownParameterType) {
  for (const int32_t type : {-1, 6}) {
    const std::string message =
        "submission 0, parameter 0: " + std::to_string(type) + " is no parameter type";
    expect_error(small_device(), ErrorCode::bad_submission, message.c_str(), "make_input_param",
                 [&](PTO2Runtime* rt) {
                   (void)graph_of(rt);
                   static float memory[4];
                   const uint64_t shape[] = {4};
                   PTOParam param = make_input_param(make_tensor_external(memory, shape, 1));
                   param.type = static_cast<PTOParamType>(type);
                   pto2_rt_submit_task(rt, 0, PTO2_WORKER_CUBE, &param, 1);
                 });
  }
}

TEST_P(Errors, ScopeEndWithoutScope) {
  expect_error(small_device(), ErrorCode::bad_submission, "scope_end() without a scope",
               "PTO2_SCOPE", [&](PTO2Runtime* rt) {
                 rt->ops->scope_end(rt);
                 rt->ops->scope_end(rt);
               });
}

/// One that a scope_end() too many has ended is not begun again by the next scope.
TEST_P(Errors, ScopeBehindTheOuterOne) {
  expect_error(small_device(), ErrorCode::bad_submission,
               "scope_begin() behind the end of the outer scope", "PTO2_SCOPE",
               [&](PTO2Runtime* rt) {
                 rt->ops->scope_end(rt);
                 PTO2_SCOPE(rt) {
                   pto2_rt_submit_task(rt, 0, PTO2_WORKER_CUBE, nullptr, 0);
                 }
               });
}

/// The runtime ends them, and says how many there were.
TEST_P(Errors, ScopesLeftOpen) {
  const auto left_by = [this](int begun, int ended) {
    const RunResult result = run(small_device(), [&](PTO2Runtime* rt) {
      for (int i = 0; i < begun; ++i) rt->ops->scope_begin(rt);
      for (int i = 0; i < ended; ++i) rt->ops->scope_end(rt);
    });
    EXPECT_EQ(result.error.code, ErrorCode::ok) << result.error.message;
    return result.open_scopes;
  };
  EXPECT_EQ(left_by(3, 1), 2U);
  EXPECT_EQ(left_by(2, 2), 0U);
  EXPECT_EQ(left_by(0, 1), 0U) << "the outer one";
}

TEST_P(Errors, ExceptionFromTheOrchestration) {
  expect_error(small_device(), ErrorCode::orchestration_threw, "of my own", "catch it",
               [&](PTO2Runtime* rt) {
                 TaskGraph& graph = graph_of(rt);
                 PTO2_SCOPE(rt) {
                   (void)graph.task({});
                   throw std::runtime_error("of my own");
                 }
               });
  expect_error(small_device(), ErrorCode::orchestration_threw, "unknown type", "catch it",
               [](PTO2Runtime*) { throw 42; });
}

/// Tasks are on their way, wherever the schedule has them, when the run is given up: what was begun
/// ends, everybody leaves, and nothing is damaged. run_at() judges that.
TEST_P(Errors, GivenUpWithTasksOnTheirWay) {
  static constexpr KernelEntry kernels[] = {hash_kernel};
  const bool seeded = GetParam() == ExecutorKind::seeded;
  for (uint64_t seed = 1; seed <= (seeded ? 500 : 20); ++seed) {
    const auto entry = [&](PTO2Runtime* rt) {
      TaskGraph& graph = graph_of(rt);
      executors::Random random(seed);
      std::vector<Value> values{graph.task({}, 1, 1000)};
      for (uint64_t tasks = random.below(30); tasks != 0; --tasks) {
        values.push_back(graph.task({values[random.below(values.size())]}, 1, 200));
      }
      if (random.below(2) == 0) throw std::runtime_error("of my own");
      pto2_rt_submit_task(rt, 1, PTO2_WORKER_CUBE, nullptr, 0);
    };
    const RunResult result = run_at(GetParam(), small_device(), {kernels, entry, {}}, seed);
    ASSERT_NE(result.error.code, ErrorCode::ok) << "seed " << seed;
    ASSERT_FALSE(HasFailure()) << "seed " << seed;
  }
}

/// The orchestration goes on after a deadlock, in counting mode; its next error is not the run's.
TEST_P(Errors, TheFirstErrorIsTheOneOfTheRun) {
  DeviceConfig config = small_device();
  config.window = 8;
  expect_error(config, ErrorCode::flow_control_deadlock, "Task Ring is FULL", "--window",
               [&](PTO2Runtime* rt) {
                 chain(rt, 9, 1);
                 pto2_rt_submit_task(rt, 1000, PTO2_WORKER_CUBE, nullptr, 0);
               });
}

TEST_P(Errors, FlowControlDeadlockNamesTheWindowThatWorks) {
  DeviceConfig config = small_device();
  config.window = 8;
  expect_error(config, ErrorCode::flow_control_deadlock, "Task Ring is FULL", "--window 16",
               [&](PTO2Runtime* rt) { chain(rt, 9, 1); });
  config.window = 16;
  EXPECT_EQ(run(config, [&](PTO2Runtime* rt) { chain(rt, 9, 1); }).error.code, ErrorCode::ok);
}

/// The cycle is that of the ring that is full: its oldest task alive and the scope that holds it.
TEST_P(Errors, FlowControlDeadlockNamesTheTaskOfItsRing) {
  DeviceConfig config = small_device();
  config.window = 4;
  expect_error(config, ErrorCode::flow_control_deadlock, "task 1 of ring 1, the oldest alive",
               "--window 8", [&](PTO2Runtime* rt) {
                 (void)graph_of(rt).task({});
                 PTO2_SCOPE(rt) {
                   (void)graph_of(rt).task({});
                 }
                 PTO2_SCOPE(rt) {
                   chain(rt, 4, 1);
                 }
               });
}

TEST_P(Errors, FlowControlDeadlockNamesTheScopeThatHoldsIt) {
  DeviceConfig config = small_device();
  config.window = 4;
  config.rings = 1;
  expect_error(config, ErrorCode::flow_control_deadlock, "the scope at depth 0 (2 open)",
               "--window 8", [&](PTO2Runtime* rt) {
                 (void)graph_of(rt).task({});
                 PTO2_SCOPE(rt) {
                   chain(rt, 3, 1);
                 }
               });
}

TEST_P(Errors, HeapDeadlockNamesTheSizeThatWorks) {
  DeviceConfig config = small_device();
  config.heap_bytes = 8192;
  expect_error(config, ErrorCode::heap_ring_deadlock, "Heap Ring has no room", "--heap 16384",
               [&](PTO2Runtime* rt) { chain(rt, 9, 1); });
  config.heap_bytes = 16384;
  EXPECT_EQ(run(config, [&](PTO2Runtime* rt) { chain(rt, 9, 1); }).error.code, ErrorCode::ok);
}

/// Behind five buffers of an ended scope, seven more go around the end of the heap.
TEST_P(Errors, HeapDeadlockTellsWhatIsInUseAfterAWrap) {
  DeviceConfig config = small_device();
  config.heap_bytes = 8192;
  expect_error(config, ErrorCode::heap_ring_deadlock, "In use: 7168\n- Top: 4096, tail: 5120",
               "--heap 16384", [&](PTO2Runtime* rt) {
                 PTO2_SCOPE(rt) {
                   chain(rt, 5, 1);
                 }
                 PTO2_SCOPE(rt) {
                   chain(rt, 8, 1);
                 }
               });
}

TEST_P(Errors, RequestLargerThanTheHeap) {
  DeviceConfig config = small_device();
  config.heap_bytes = 4096;
  expect_error(config, ErrorCode::heap_ring_deadlock, "the request alone is too large",
               "--heap 8192", [&](PTO2Runtime* rt) { chain(rt, 1, 512); });
}

/// The last of them begins so far behind the first that it would come to address 0.
TEST_P(Errors, RequestLargerThanTheAddressSpace) {
  expect_error(small_device(), ErrorCode::heap_ring_deadlock, "the request alone is too large",
               "No --heap works", [](PTO2Runtime* rt) {
                 pto2_rt_init_tensor_pool(rt);
                 constexpr uint64_t half = uint64_t{1} << 31;
                 const uint64_t shapes[][2] = {
                     {half, half}, {half, half}, {half, half}, {half / 2, 4'294'901'760}, {1, 1}};
                 std::vector<PTOParam> params;
                 for (const auto& shape : shapes) {
                   params.push_back(make_output_param(make_tensor(shape, 2, DataType::UINT8)));
                 }
                 pto2_rt_submit_task(rt, 0, PTO2_WORKER_CUBE, params.data(), 5);
               });
}

TEST_P(Errors, DependencyPoolOverflow) {
  DeviceConfig config = small_device();
  config.dep_pool = 16;
  expect_error(config, ErrorCode::dependency_pool_overflow,
               "Dependency Pool is exhausted and no progress is possible.\n"
               "- Requested: 1\n- In use: 16\n- Pool size: 16\n",
               "--dep-pool", [&](PTO2Runtime* rt) { chain(rt, 18, 1); });
  // The last task reads two others. Nodes are taken for both or for none.
  expect_error(config, ErrorCode::dependency_pool_overflow,
               "- Requested: 2\n- In use: 15\n- Pool size: 16\n", "--dep-pool",
               [&](PTO2Runtime* rt) {
                 TaskGraph& graph = graph_of(rt);
                 const Value value = graph.task({});
                 Value last = value;
                 for (int i = 0; i < 15; ++i) last = graph.task({value});
                 (void)graph.task({value, last});
               });
  config.dep_pool = 17;
  EXPECT_EQ(run(config, [&](PTO2Runtime* rt) { chain(rt, 18, 1); }).error.code, ErrorCode::ok);
}

/// Owners of buffers need nodes as producers do, and are named in the same sum.
TEST_P(Errors, DependencyPoolOverflowCountsOwners) {
  DeviceConfig config = small_device();
  config.dep_pool = 16;
  expect_error(config, ErrorCode::dependency_pool_overflow, "Requested: 17", "--dep-pool",
               [&](PTO2Runtime* rt) {
                 TaskGraph& graph = graph_of(rt);
                 std::vector<PTOParam> params;
                 for (int i = 0; i < 17; ++i) {
                   params.push_back(make_output_param(graph.task({}).tensor));
                 }
                 pto2_rt_submit_task(rt, 0, PTO2_WORKER_VECTOR, params.data(), 17);
               });
}

/// After half a second of counting the report says what was enough until then.
TEST_P(Errors, CountingEndsWhenItTakesTooLong) {
  if (GetParam() == ExecutorKind::seeded) GTEST_SKIP() << "there is no time";
  DeviceConfig config = small_device();
  config.window = 8;
  expect_error(config, ErrorCode::flow_control_deadlock, "", "at least", [&](PTO2Runtime* rt) {
    chain(rt, 9, 1);
    std::this_thread::sleep_for(std::chrono::milliseconds(600));
    chain(rt, 2, 1);
  });
}

TEST_P(Errors, TensorMapOverflow) {
  DeviceConfig config = small_device();
  config.tensormap_pool = 16;
  ASSERT_NE(config.tensormap_buckets, config.tensormap_pool);
  expect_error(config, ErrorCode::tensormap_overflow,
               "TensorMap pool is exhausted and no progress is possible.\n"
               "- Requested: 1\n- In use: 16\n- Pool size: 16\n",
               "17 (the smallest that works): --tensormap-pool 17",
               [&](PTO2Runtime* rt) { chain(rt, 17, 1); });
  // What counts is the scope that needs most, not the one that was blocked, nor the last one.
  expect_error(config, ErrorCode::tensormap_overflow, "",
               "21 (the smallest that works): --tensormap-pool 21", [&](PTO2Runtime* rt) {
                 for (const int tasks : {19, 21, 3}) {
                   PTO2_SCOPE(rt) {
                     chain(rt, tasks, 1);
                   }
                 }
               });
  // The entries are held by another ring than the one that asks.
  expect_error(config, ErrorCode::tensormap_overflow,
               "an entry in the TensorMap\n  which waits for task 0 of ring 0, the oldest alive",
               "--tensormap-pool", [&](PTO2Runtime* rt) {
                 chain(rt, 16, 1);
                 PTO2_SCOPE(rt) {
                   (void)graph_of(rt).task({});
                 }
               });
  EXPECT_EQ(run(config, [&](PTO2Runtime* rt) { chain(rt, 16, 1); }).error.code, ErrorCode::ok);
}

}  // namespace
}  // namespace pto2::test
