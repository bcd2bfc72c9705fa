/// Kernels that do not return.
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <functional>
#include <thread>

#include "tests/runtime/device/task_graph.hpp"

namespace pto2::test {
namespace {

using testing::ExitedWithCode;

constexpr uint64_t deadline_ms = 300;

void stay(int64_t*) {
  for (volatile bool over = false; !over;) {
  }
}

void stay_without_signals(int64_t*) {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
  for (;;) pause();
}

void take_a_while(int64_t*) {
  std::this_thread::sleep_for(std::chrono::milliseconds(60));
}

void take_long(int64_t*) {
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));
}

class Stuck : public testing::TestWithParam<ExecutorKind> {
 protected:
  static RunResult run(KernelEntry kernel, const std::function<void(PTO2Runtime*)>& entry,
                       uint64_t deadline = deadline_ms) {
    const KernelEntry kernels[] = {kernel, [](int64_t*) {}};
    DeviceConfig config = small_device();
    config.deadline_ms = deadline;
    return run_at(GetParam(), config, {kernels, entry, {}});
  }
  static std::function<void(PTO2Runtime*)> tasks(int32_t type) {
    return [type](PTO2Runtime* rt) {
      pto2_rt_submit_task(rt, 1, type, nullptr, 0);
      pto2_rt_submit_task(rt, 0, type, nullptr, 0);
    };
  }
};

INSTANTIATE_TEST_SUITE_P(Everywhere, Stuck,
                         testing::Values(ExecutorKind::packed, ExecutorKind::threads),
                         [](const auto& test) { return executor_name(test.param); });

TEST_P(Stuck, KernelsAreNamedWithTheirPlace) {
  EXPECT_EXIT(static_cast<void>(run(stay, tasks(PTO2_WORKER_CUBE))), ExitedWithCode(5),
              "FATAL: kernel 0, task 1 of ring 0, on aic[0-9]+, has not returned for 0.3 s, in "
              ".*stuck_test\nif the kernel is only slow, give --deadline");
  EXPECT_EXIT(static_cast<void>(run(stay, tasks(PTO2_WORKER_AI_CPU))), ExitedWithCode(5),
              "kernel 0, task 1 of ring 0, on scheduler[0-9]+, has not returned for");
}

TEST_P(Stuck, PartsOfBlockTasksAreToo) {
  const auto entry = [](PTO2Runtime* rt) {
    pto2_rt_submit_block_task(rt, 0, PTO2_WORKER_VECTOR, nullptr, 0, 4);
  };
  EXPECT_EXIT(static_cast<void>(run(stay, entry)), ExitedWithCode(5),
              "kernel 0, task 0 of ring 0, on aiv[0-9]+, has not returned for");
}

TEST_P(Stuck, KernelsThatBlockSignalsEndAsWell) {
  EXPECT_EXIT(static_cast<void>(run(stay_without_signals, tasks(PTO2_WORKER_CUBE))),
              ExitedWithCode(5), "FATAL: a kernel whose thread takes no signals has not returned");
}

/// However short it is.
TEST_P(Stuck, DeadlinesAreKept) {
  EXPECT_EXIT(static_cast<void>(run(stay, tasks(PTO2_WORKER_CUBE), 1)), ExitedWithCode(5),
              "has not returned for 0.001 s");
}

/// Many kernels in a row on one core are none that does not return.
TEST_P(Stuck, SlowRunsAreNot) {
  const auto parts = [](PTO2Runtime* rt) {
    pto2_rt_submit_block_task(rt, 0, PTO2_WORKER_AI_CPU, nullptr, 0, 12);
    for (int i = 0; i < 12; ++i) pto2_rt_submit_task(rt, 0, PTO2_WORKER_CUBE, nullptr, 0);
    pto2_rt_submit_block_task(rt, 0, PTO2_WORKER_VECTOR, nullptr, 0, 60);
  };
  EXPECT_EQ(run(take_a_while, parts).error.code, ErrorCode::ok);
}

TEST_P(Stuck, IsNobodyWithoutADeadline) {
  EXPECT_EQ(run(take_long, tasks(PTO2_WORKER_CUBE), 0).error.code, ErrorCode::ok);
}

}  // namespace
}  // namespace pto2::test
