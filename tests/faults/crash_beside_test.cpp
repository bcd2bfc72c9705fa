/// Crashes for which somebody else is not to blame.
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <thread>
#include <vector>

#include "tests/runtime/device/task_graph.hpp"

namespace pto2::test {
namespace {

std::atomic<int> in_kernels{0};
std::atomic<int> crash_signal{0};

void crash_beside_another(int64_t*) {
  for (++in_kernels; in_kernels < 2;) std::this_thread::yield();
  raise(crash_signal);
}

void stay_beside_another(int64_t*) {
  for (++in_kernels;;) pause();
}

/// `number`: of the kernel.
void run_alone(ExecutorKind where, KernelEntry kernel, int32_t number) {
  std::vector<KernelEntry> kernels(static_cast<std::size_t>(number), [](int64_t*) {});
  kernels.push_back(kernel);
  const auto entry = [number](PTO2Runtime* rt) {
    pto2_rt_submit_task(rt, number, PTO2_WORKER_CUBE, nullptr, 0);
  };
  static_cast<void>(run_at(where, tiny_device(), {kernels, entry, {}}));
}

/// Both have one core, with the same name, and the last one is asked first.
TEST(CrashesBesideAnotherRun, AreNotThoseOfItsKernel) {
  const auto crash = [](ExecutorKind where, int signal) {
    crash_signal = signal;
    const std::jthread first([where] { run_alone(where, crash_beside_another, 1); });
    while (in_kernels == 0) std::this_thread::yield();
    run_alone(where, stay_beside_another, 0);
  };
  for (const ExecutorKind where : {ExecutorKind::threads, ExecutorKind::packed}) {
    for (const int signal : {SIGABRT, SIGSEGV}) {
      EXPECT_EXIT(crash(where, signal), testing::ExitedWithCode(5),
                  "^FATAL: kernel 1, task 0 of ring 0, on aic[0-9]+, crashed")
          << executor_name(where);
    }
  }
}

/// It is in a call of the runtime, which may find itself wrong and abort. Of other crashes there
/// the orchestration is named: what it has passed may be the cause.
TEST(CrashesOfTheRuntime, AreNotThoseOfTheOrchestration) {
  const auto crash_by = [](int signal) {
    crash_signal = signal;
    const KernelEntry kernels[] = {[](int64_t*) {}};
    const auto entry = [](PTO2Runtime* rt) { LOG_INFO(rt, "a line"); };
    const auto crash_there = [](int, const char*) { raise(crash_signal); };
    static_cast<void>(run_at(ExecutorKind::threads, small_device(), {kernels, entry, crash_there}));
  };
  EXPECT_EXIT(crash_by(SIGABRT), testing::KilledBySignal(SIGABRT), "^$");
  EXPECT_EXIT(crash_by(SIGSEGV), testing::ExitedWithCode(5), "^FATAL: the orchestration.*crashed");
}

}  // namespace
}  // namespace pto2::test
