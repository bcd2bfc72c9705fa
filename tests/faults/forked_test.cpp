/// Processes that kernels and orchestrations fork, and that come back to the run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <string>

#include "runtime/executors/user_code.hpp"
#include "runtime/include/pto_core_calls.h"
#include "tests/runtime/device/task_graph.hpp"

namespace pto2::test {
namespace {

/// Exit codes of what was forked; another one if a signal has ended it.
constexpr int by_signal = 256;
std::atomic<int> first_code{-1};

/// Whether it is the forked process that goes on. The first one waits for its end. What hangs is
/// ended by its alarm.
bool is_in_fork() {
  const pid_t forked = fork();
  if (forked == 0) {
    alarm(10);
    return true;
  }
  int status = 0;
  waitpid(forked, &status, 0);
  first_code = WIFEXITED(status) ? WEXITSTATUS(status) : by_signal;
  return false;
}

class Forked : public testing::TestWithParam<ExecutorKind> {
 protected:
  /// Runs the kernel in an orchestration that is over at once if `before` says so. Both end well in
  /// the first process; what the others have said.
  static std::string run(KernelEntry kernel, const std::function<bool(PTO2Runtime*)>& before = {},
                         GuardKind guard = GuardKind::off) {
    first_code = -1;
    DeviceConfig config = small_device();
    config.guard = guard;
    const KernelEntry kernels[] = {kernel, [](int64_t*) {}};
    const auto entry = [&](PTO2Runtime* rt) {
      if (before && before(rt)) return;
      for (const int32_t number : {1, 0, 1}) {
        pto2_rt_submit_task(rt, number, PTO2_WORKER_CUBE, nullptr, 0);
      }
    };
    testing::internal::CaptureStderr();
    const RunResult result = run_at(GetParam(), config, {kernels, entry, {}});
    EXPECT_EQ(result.error.code, ErrorCode::ok) << result.error.message;
    return testing::internal::GetCapturedStderr();
  }

  static void expect_ended(const std::string& said) {
    EXPECT_EQ(first_code, 5);
    EXPECT_THAT(said, testing::StartsWith("FATAL: a process that a kernel or the orchestration has "
                                          "forked came back to the run\nend it where"));
  }
  void SetUp() override {
    if (PTO2_CAN_LEAVE == 0) GTEST_SKIP() << "kernels are not looked at in this build";
  }
};

INSTANTIATE_TEST_SUITE_P(Everywhere, Forked, testing::ValuesIn(everywhere()),
                         [](const auto& test) { return executor_name(test.param); });

TEST_P(Forked, ByAKernelReturns) {
  const auto returns = [](int64_t*) { static_cast<void>(is_in_fork()); };
  expect_ended(run(returns));
  expect_ended(run(returns, {}, GuardKind::on));
}

TEST_P(Forked, ByAKernelThrows) {
  expect_ended(run([](int64_t*) {
    if (is_in_fork()) throw 1;
  }));
}

TEST_P(Forked, ByAKernelWaits) {
  expect_ended(run([](int64_t* args) {
    static auto never = [] { return false; };
    if (is_in_fork()) pto_wait(args, never);
  }));
}

TEST_P(Forked, ByAKernelPauses) {
  expect_ended(run([](int64_t* args) {
    static auto never = [] { return false; };
    if (is_in_fork()) pto_pause(args, never);
  }));
}

/// The first time, or when the kernel has been rung.
TEST_P(Forked, InThePredicateOfAWaitWaits) {
  static int asked;
  static auto when_asked_again = [] { return asked++ == 1 && !is_in_fork(); };
  static auto at_first = [] {
    if (asked++ != 0) _exit(9);
    return !is_in_fork();
  };
  for (const KernelEntry kernel :
       {KernelEntry([](int64_t* args) { pto_wait(args, at_first); }),
        KernelEntry([](int64_t* args) { pto_pause(args, at_first); }),
        KernelEntry([](int64_t* args) { pto_wait(args, when_asked_again); }),
        KernelEntry([](int64_t* args) { pto_pause(args, when_asked_again); })}) {
    asked = 0;
    expect_ended(run(kernel));
  }
}

TEST_P(Forked, ByTheOrchestrationReturns) {
  expect_ended(run([](int64_t*) {}, [](PTO2Runtime*) { return is_in_fork(); }));
}

/// Where others would have to go on.
TEST_P(Forked, ByTheOrchestrationSubmits) {
  expect_ended(run([](int64_t*) {},
                   [](PTO2Runtime* rt) {
                     while (is_in_fork()) {
                       for (;;) pto2_rt_submit_task(rt, 1, PTO2_WORKER_CUBE, nullptr, 0);
                     }
                     return false;
                   }));
}

/// It has done nothing that it must not.
TEST_P(Forked, EndsAsItLikesWhereItIs) {
  const auto ends = [](int64_t*) {
    if (is_in_fork()) _exit(7);
  };
  EXPECT_EQ(run(ends), "");
  EXPECT_EQ(first_code, 7);
}

/// Its own run has nothing to do with that which it was forked in.
TEST_P(Forked, MayRunGraphsOfItsOwn) {
  if (GetParam() != ExecutorKind::seeded) GTEST_SKIP() << "other threads may hold locks";
  const auto runs = [](int64_t*) {
    if (!is_in_fork()) return;
    const KernelEntry kernels[] = {[](int64_t*) {}};
    const auto entry = [](PTO2Runtime* rt) {
      pto2_rt_submit_task(rt, 0, PTO2_WORKER_CUBE, nullptr, 0);
    };
    const RunResult result = run_at(ExecutorKind::threads, tiny_device(), {kernels, entry, {}});
    _exit(result.error.code == ErrorCode::ok ? 7 : 8);
  };
  EXPECT_EQ(run(runs), "");
  EXPECT_EQ(first_code, 7);
}

}  // namespace
}  // namespace pto2::test
