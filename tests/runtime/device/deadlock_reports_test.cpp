/// What a user is told of a deadlock when the graph is not the usual one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <thread>
#include <vector>

#include "runtime/include/pto_core_calls.h"
#include "tests/runtime/device/task_graph.hpp"

namespace pto2::test {
namespace {

using testing::HasSubstr;

std::atomic<bool> may_end{false};

void late_kernel(int64_t* args) {
  auto holds = [] { return may_end.load(); };
  EXPECT_EQ(pto_wait(args, holds), PTOWaited::HOLDS);
}
void releasing_kernel(int64_t* args) {
  may_end = true;
  pto_announce(args);
}

/// In time: the orchestrator is to find them under way.
void slow_kernel(int64_t*) {
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
}

/// Kernels of the graphs below.
constexpr int32_t quick = 0;
constexpr int32_t late = 1;
constexpr int32_t releasing = 2;
constexpr int32_t slow = 3;

class DeadlockReports : public testing::TestWithParam<ExecutorKind> {
 protected:
  RunResult run(const DeviceConfig& config, const std::function<void(PTO2Runtime*)>& entry) {
    static constexpr KernelEntry kernels[] = {no_kernel, late_kernel, releasing_kernel,
                                              slow_kernel};
    may_end = false;
    const auto with_tensors = [&](PTO2Runtime* rt) {
      pto2_rt_init_tensor_pool(rt);
      entry(rt);
    };
    return run_at(GetParam(), config, {kernels, with_tensors, {}});
  }
};

INSTANTIATE_TEST_SUITE_P(Everywhere, DeadlockReports, testing::ValuesIn(everywhere()),
                         [](const auto& test) { return executor_name(test.param); });

void submit(PTO2Runtime* rt, int32_t kernel, const PTOParam& param) {
  pto2_rt_submit_task(rt, kernel, PTO2_WORKER_VECTOR, &param, 1);
}

/// Sixteen tasks take a node each for a producer that retires before them in the best case, in
/// which one node is enough.
TEST_P(DeadlockReports, NodesForALateProducerCount) {
  static std::array<float, 2> memory;
  const auto build = [](PTO2Runtime* rt) {
    constexpr uint64_t one[] = {1};
    const Tensor early_one = make_tensor_external(&memory[0], one, 1);
    const Tensor late_one = make_tensor_external(&memory[1], one, 1);
    submit(rt, quick, make_output_param(early_one));
    PTO2_SCOPE(rt) {
      submit(rt, late, make_output_param(late_one));
    }
    for (int i = 0; i < 16; ++i) submit(rt, quick, make_input_param(late_one));
    pto2_rt_submit_task(rt, releasing, PTO2_WORKER_VECTOR, nullptr, 0);
    submit(rt, quick, make_input_param(early_one));
  };
  DeviceConfig config = small_device();
  config.dep_pool = 16;
  const RunResult result = run(config, build);
  EXPECT_EQ(result.error.code, ErrorCode::dependency_pool_overflow);
  EXPECT_THAT(result.error.message, HasSubstr("- Requested: 1\n- In use: 16\n- Pool size: 16\n"));
  EXPECT_THAT(result.error.hint, HasSubstr("Recommended: at least 17: --dep-pool 17 or "));
  config.dep_pool = 17;
  EXPECT_EQ(run(config, build).error.code, ErrorCode::ok);
}

/// The last task waits for eight nodes at first, as its producers run. Six of them end and are
/// reclaimed; then it lacks entries.
TEST_P(DeadlockReports, ATaskMayLackAnotherResourceWhenItNeedsFewerNodes) {
  static std::array<float, 6> memory;
  DeviceConfig config = small_device();
  config.dep_pool = config.tensormap_pool = 16;
  const RunResult result = run(config, [](PTO2Runtime* rt) {
    constexpr uint64_t one[] = {1};
    std::vector<PTOParam> early;
    for (int i = 0; i < 10; ++i) {
      const Tensor tensor = make_tensor(one, 1);
      submit(rt, quick, make_output_param(tensor));
      early.push_back(make_input_param(tensor));
    }
    std::vector<PTOParam> last(early.begin(), early.begin() + 2);
    std::vector<Tensor> external;
    for (float& element : memory) external.push_back(make_tensor_external(&element, one, 1));
    PTO2_SCOPE(rt) {
      for (const Tensor& tensor : external) {
        submit(rt, slow, make_output_param(tensor));
        last.push_back(make_input_param(tensor));
      }
    }
    PTO2_SCOPE(rt) {
      for (int i = 0; i < 7; ++i) last.push_back(make_output_param(make_tensor(one, 1)));
      pto2_rt_submit_task(rt, quick, PTO2_WORKER_VECTOR, early.data(), 10);
      pto2_rt_submit_task(rt, quick, PTO2_WORKER_VECTOR, last.data(), 15);
    }
  });
  EXPECT_EQ(result.error.code, ErrorCode::tensormap_overflow) << result.error.message;
}

/// The heap is parked behind a buffer that is gone, and must start over.
TEST_P(DeadlockReports, ATaskWithoutOutputsKeepsNothingOfTheHeap) {
  DeviceConfig config = small_device();
  config.heap_bytes = 64 << 10;
  const RunResult result = run(config, [](PTO2Runtime* rt) {
    constexpr uint64_t over_half_of_the_heap[] = {10 << 10};
    for (const bool beside_another : {false, true}) {
      PTO2_SCOPE(rt) {
        if (beside_another) pto2_rt_submit_task(rt, quick, PTO2_WORKER_VECTOR, nullptr, 0);
        submit(rt, quick, make_output_param(make_tensor(over_half_of_the_heap, 1)));
      }
    }
  });
  EXPECT_EQ(result.error.code, ErrorCode::ok) << result.error.message;
}

/// A task is alive, but the end of its scope would make no room.
TEST_P(DeadlockReports, ARequestThatIsTooLargeWaitsForNoScope) {
  DeviceConfig config = small_device();
  config.heap_bytes = 4096;
  const RunResult result = run(config, [](PTO2Runtime* rt) {
    pto2_rt_submit_task(rt, quick, PTO2_WORKER_VECTOR, nullptr, 0);
    constexpr uint64_t as_large_as_the_heap[] = {1024};
    submit(rt, quick, make_output_param(make_tensor(as_large_as_the_heap, 1)));
  });
  EXPECT_EQ(result.error.code, ErrorCode::heap_ring_deadlock);
  EXPECT_THAT(result.error.message,
              HasSubstr("- Oldest alive: task 0 of ring 0, state 2 (completed)\n"
                        "Wait-for cycle:\n"
                        "  orchestrator waits for 4096 bytes in the HeapRing of ring 0\n"
                        "  which has room for fewer in all: the request alone is too large for it\n"
                        "Root Cause:\n"
                        "One task asks for more than there can ever be.\n"));
  EXPECT_THAT(result.error.hint, HasSubstr("--heap 8192"));
}

/// What comes after an error is not counted, even if the error is that the outer scope has ended.
TEST_P(DeadlockReports, AnErrorBehindTheOuterScopeEndsTheCount) {
  DeviceConfig config = small_device();
  config.window = 8;
  const auto hint_after = [&](const std::function<void(PTO2Runtime*)>& error) {
    const RunResult result = run(config, [&](PTO2Runtime* rt) {
      for (int i = 0; i < 8; ++i) {
        pto2_rt_submit_task(rt, quick, PTO2_WORKER_VECTOR, nullptr, 0);
      }
      rt->ops->scope_end(rt);
      error(rt);
    });
    EXPECT_EQ(result.error.code, ErrorCode::flow_control_deadlock);
    return result.error.hint;
  };
  EXPECT_THAT(hint_after([](PTO2Runtime*) {}), HasSubstr("16 (the smallest that works)"));
  EXPECT_THAT(hint_after([](PTO2Runtime* rt) { rt->ops->scope_end(rt); }),
              HasSubstr("at least 16:"));
  EXPECT_THAT(hint_after([](PTO2Runtime* rt) {
                pto2_rt_submit_task(rt, quick, PTO2_WORKER_VECTOR, nullptr, 0);
              }),
              HasSubstr("at least 16:"));
}

/// What every size would refuse is refused while sizes are counted.
TEST_P(DeadlockReports, MemoryOfAScopeThatHasEndedEndsTheCount) {
  DeviceConfig config = small_device();
  config.window = 8;
  constexpr uint64_t one[] = {1};
  const auto hint_of = [&](bool before, bool within) {
    return run(config,
               [=](PTO2Runtime* rt) {
                 const Tensor tensor = make_tensor(one, 1);
                 const auto write = [&] {
                   PTO2_SCOPE(rt) {
                     submit(rt, quick, make_output_param(tensor));
                     if (within) submit(rt, quick, make_input_param(tensor));
                   }
                 };
                 if (before) write();
                 PTO2_SCOPE(rt) {
                   for (int i = 0; i < 12; ++i) submit(rt, quick, make_scalar_param(1));
                 }
                 if (!before) write();
                 PTO2_SCOPE(rt) {
                   if (!within) submit(rt, quick, make_input_param(tensor));
                 }
               })
        .error.hint;
  };
  for (const bool before : {true, false}) {
    EXPECT_THAT(hint_of(before, true), HasSubstr("16 (the smallest that works)")) << before;
    EXPECT_THAT(hint_of(before, false), HasSubstr("at least 16:")) << before;
  }
}

/// Where there is no time, too. No window that works is missed for that.
TEST_P(DeadlockReports, CountingEndsAfterManyTasks) {
  DeviceConfig config = small_device();
  config.window = 8;
  const auto hint_after = [&](uint64_t tasks) {
    const auto submit_all = [tasks](PTO2Runtime* rt) {
      for (uint64_t i = 0; i < tasks; ++i) {
        pto2_rt_submit_task(rt, quick, PTO2_WORKER_VECTOR, nullptr, 0);
      }
    };
    return run(config, submit_all).error.hint;
  };
  const std::string beyond = hint_after(window_range.high + config.window);
  EXPECT_THAT(beyond, HasSubstr("at least"));
  if (GetParam() != ExecutorKind::seeded) return;
  EXPECT_THAT(beyond, HasSubstr("No --window works: it would have to be at least 2097152"));
  EXPECT_THAT(hint_after(window_range.high - 1),
              HasSubstr("1048576 (the smallest that works): --window 1048576"));
}

TEST_P(DeadlockReports, CountingEndsAfterManyScopes) {
  DeviceConfig config = small_device();
  config.window = 8;
  config.deadline_ms = 0;  // else that might end it
  const RunResult result = run(config, [](PTO2Runtime* rt) {
    PTO2_SCOPE(rt) {
      for (int i = 0; i < 9; ++i) submit(rt, quick, make_scalar_param(1));
    }
    for (uint64_t i = 0; i < window_range.high; ++i) {
      PTO2_SCOPE(rt) {}
    }
  });
  EXPECT_THAT(result.error.hint, HasSubstr("at least 16:"));
}

}  // namespace
}  // namespace pto2::test
