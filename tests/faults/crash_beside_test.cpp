/// Crashes for which somebody else is not to blame.
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <functional>
#include <thread>
#include <vector>

#include "runtime/executors/user_code.hpp"
#include "runtime/output/guarded.hpp"
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

/// What no machine has.
void ask_for_too_much() {
  static volatile int64_t too_many = -1;
  [[maybe_unused]] static float* volatile taken;
  taken = new float[static_cast<std::size_t>(too_many)];
}
void ask_in_vain() noexcept {
  ask_for_too_much();
}

class LackOfMemory : public testing::TestWithParam<ExecutorKind> {
 protected:
  /// The exit code of a program that runs the kernel, or all this in the orchestration.
  static int run(KernelEntry kernel, const std::function<void()>& before = {}) {
    static const cli::Remedies remedies{.memory = "use a smaller case", .thread = ""};
    const auto execute = [&] {
      const KernelEntry kernels[] = {kernel};
      const auto entry = [&](PTO2Runtime* rt) {
        if (before) before();
        pto2_rt_submit_task(rt, 0, PTO2_WORKER_VECTOR, nullptr, 0);
      };
      static_cast<void>(run_at(GetParam(), small_device(), {kernels, entry, {}}));
      return 0;
    };
    return cli::guarded(execute, remedies);
  }
};

INSTANTIATE_TEST_SUITE_P(Everywhere, LackOfMemory, testing::ValuesIn(everywhere()),
                         [](const auto& test) { return executor_name(test.param); });

/// Where no exception may pass.
TEST_P(LackOfMemory, OfCodeOfTheUsersIsItsCrash) {
  EXPECT_EXIT(run([](int64_t*) { ask_in_vain(); }), testing::ExitedWithCode(5),
              "kernel 0, task 0 of ring 0, on aiv[0-9]+, crashed: SIGABRT");
  EXPECT_EXIT(run([](int64_t*) {}, ask_in_vain), testing::ExitedWithCode(5),
              "the orchestration crashed: SIGABRT");
  EXPECT_EXIT(run([](int64_t*) { std::thread(ask_for_too_much).join(); }),
              testing::KilledBySignal(SIGABRT), "bad_array_new_length");
}

TEST_P(LackOfMemory, OfACallOfOursIsTheMachines) {
  static void (*volatile lack)() = [] { throw executors::NoMemoryForCall(); };
  const auto lacks = [](int64_t*) { []() noexcept { lack(); }(); };
  EXPECT_EXIT(run(lacks), testing::ExitedWithCode(3), "out of memory; use a smaller case");
}

}  // namespace
}  // namespace pto2::test
