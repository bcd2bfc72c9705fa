/// Crashes for which somebody else is not to blame.
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <thread>
#include <vector>

#include "tests/runtime/device/task_graph.hpp"

namespace pto2::test {
namespace {

std::atomic<int> in_kernels{0};

void crash_beside_another(int64_t*) {
  for (++in_kernels; in_kernels < 2;) std::this_thread::yield();
  raise(SIGABRT);
}

void stay_beside_another(int64_t*) {
  for (++in_kernels;;) pause();
}

/// `number`: of the kernel.
void run_alone(KernelEntry kernel, int32_t number) {
  std::vector<KernelEntry> kernels(static_cast<std::size_t>(number), [](int64_t*) {});
  kernels.push_back(kernel);
  const auto entry = [number](PTO2Runtime* rt) {
    pto2_rt_submit_task(rt, number, PTO2_WORKER_CUBE, nullptr, 0);
  };
  static_cast<void>(run_at(ExecutorKind::threads, small_device(), {kernels, entry, {}}));
}

/// Both have a thread for each core, with the same names, and the last one is asked first.
TEST(CrashesBesideAnotherRun, AreNotThoseOfItsKernel) {
  const auto crash = [] {
    const std::jthread first([] { run_alone(crash_beside_another, 1); });
    while (in_kernels == 0) std::this_thread::yield();
    run_alone(stay_beside_another, 0);
  };
  EXPECT_EXIT(crash(), testing::ExitedWithCode(5),
              "^FATAL: kernel 1, task 0 of ring 0, on aic[0-9]+, crashed");
}

/// It is in a call of the runtime, which may find itself wrong and abort.
TEST(CrashesOfTheRuntime, AreNotThoseOfTheOrchestration) {
  const KernelEntry kernels[] = {[](int64_t*) {}};
  const auto entry = [](PTO2Runtime* rt) { LOG_INFO(rt, "a line"); };
  const auto abort_there = [](int, const char*) { std::abort(); };
  EXPECT_EXIT(static_cast<void>(
                  run_at(ExecutorKind::threads, small_device(), {kernels, entry, abort_there})),
              testing::KilledBySignal(SIGABRT), "^$");
}

}  // namespace
}  // namespace pto2::test
