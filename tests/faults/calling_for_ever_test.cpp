/// Orchestrations that go on to call the runtime when their run has failed without a call of theirs
/// noticing: their calls come to nothing, and then they are left as others are.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <stdexcept>
#include <stop_token>
#include <thread>
#include <vector>

#include "tests/runtime/device/task_graph.hpp"

namespace pto2::test {
namespace {

using testing::HasSubstr;

std::atomic<bool> has_run{false};

void say_that_it_runs(int64_t*) {
  has_run = true;
}

void say_so_and_throw(int64_t*) {
  has_run = true;
  throw std::runtime_error("no");
}

/// What is called again and again, none of which submits.
const std::vector<std::function<void(PTO2Runtime*)>>& calls_in_vain() {
  static const std::vector<std::function<void(PTO2Runtime*)>> calls{
      [](PTO2Runtime* rt) { LOG_DEBUG(rt, "waiting"); },
      [](PTO2Runtime* rt) {
        PTO2_SCOPE(rt) {}
      },
      [](PTO2Runtime* rt) {
        static constexpr uint64_t extent[] = {4};
        PTO2_SCOPE(rt) {
          (void)rt->ops->numel(rt, rt->ops->make_tensor(rt, 0, extent, 1, DataType::INT64));
        }
      },
      [](PTO2Runtime* rt) { pto2_rt_free_cluster(rt, pto2_rt_allocate_cluster(rt)); },
  };
  return calls;
}

class CallingForEver : public testing::TestWithParam<ExecutorKind> {
 protected:
  static RunResult run(KernelEntry kernel, const std::function<void(PTO2Runtime*)>& entry,
                       const std::stop_token& stop = {}) {
    const KernelEntry kernels[] = {kernel};
    DeviceConfig config = small_device();
    config.deadline_ms = stop.stop_possible() ? 1500 : 300;
    has_run = false;
    Launch what{kernels, entry, {}};
    what.stop = stop;
    return launch_on(GetParam(), config, what, 1);  // the events would be too many to judge
  }
  /// Submits a task, and calls then.
  static std::function<void(PTO2Runtime*)> task_and(std::function<void(PTO2Runtime*)> call) {
    return [call = std::move(call)](PTO2Runtime* rt) {
      pto2_rt_submit_task(rt, 0, PTO2_WORKER_CUBE, nullptr, 0);
      for (;;) call(rt);
    };
  }
};

class CallingForEverOnThreads : public CallingForEver {};

INSTANTIATE_TEST_SUITE_P(OnOsThreads, CallingForEverOnThreads,
                         testing::Values(ExecutorKind::packed, ExecutorKind::threads),
                         [](const auto& test) { return executor_name(test.param); });
INSTANTIATE_TEST_SUITE_P(Everywhere, CallingForEver,
                         testing::Values(ExecutorKind::packed, ExecutorKind::threads,
                                         ExecutorKind::seeded),
                         [](const auto& test) { return executor_name(test.param); });

TEST_P(CallingForEverOnThreads, EndsAfterAFaultOfAKernel) {
  for (const auto& call : calls_in_vain()) {
    const RunResult result = run(say_so_and_throw, task_and(call));
    EXPECT_EQ(result.error.code, ErrorCode::kernel_threw) << result.error.message;
    EXPECT_THAT(result.damaged, testing::IsEmpty());
  }
}

TEST_P(CallingForEverOnThreads, EndsAfterAnInterruptionAndIsNamed) {
  for (const auto& call : calls_in_vain()) {
    std::stop_source stop;
    const std::jthread interrupter([&] {
      while (!has_run) std::this_thread::yield();
      stop.request_stop();
    });
    const RunResult result = run(say_that_it_runs, task_and(call), stop.get_token());
    EXPECT_EQ(result.error.code, ErrorCode::interrupted) << result.error.message;
    EXPECT_THAT(result.error.message, HasSubstr("; the orchestration had not returned then"));
    EXPECT_THAT(result.damaged, testing::IsEmpty());
  }
}

/// Neither a task nor a scope comes, of which so many are counted, and no longer.
TEST_P(CallingForEver, EndsAfterADeadlock) {
  const auto deadlock_and_log = [](PTO2Runtime* rt) {
    for (int i = 0; i < 1000; ++i) pto2_rt_submit_task(rt, 0, PTO2_WORKER_CUBE, nullptr, 0);
    for (;;) LOG_DEBUG(rt, "waiting");
  };
  const RunError error = run(say_that_it_runs, deadlock_and_log).error;
  EXPECT_EQ(error.code, ErrorCode::flow_control_deadlock) << error.message;
  EXPECT_THAT(error.hint, HasSubstr("at least"));
}

/// It may return when its calls have come to nothing: what it would have submitted is not known.
TEST_P(CallingForEver, IsCountedToWhereItsCallsStopped) {
  const auto deadlock_and_log_until_stopped = [](PTO2Runtime* rt) {
    for (int i = 0; i < 1000; ++i) pto2_rt_submit_task(rt, 0, PTO2_WORKER_CUBE, nullptr, 0);
    while (rt->ops->describe(rt, 0, nullptr, 0) != 0) LOG_DEBUG(rt, "waiting");
  };
  const RunError error = run(say_that_it_runs, deadlock_and_log_until_stopped).error;
  EXPECT_EQ(error.code, ErrorCode::flow_control_deadlock) << error.message;
  EXPECT_THAT(error.hint, HasSubstr("at least"));
}

}  // namespace
}  // namespace pto2::test
