/// Kernels and orchestrations that crash.
#include "runtime/device/crash_guard.hpp"

#include <gtest/gtest.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <iterator>
#include <string>
#include <thread>

#include "runtime/device/standing_guard.hpp"
#include "runtime/executors/stack_cache.hpp"
#include "runtime/executors/user_code.hpp"
#include "tests/faults/crashes.hpp"
#include "tests/runtime/device/task_graph.hpp"
#include "tests/support/unusable_memory.hpp"

namespace pto2::test {
namespace {

using testing::ExitedWithCode;
using testing::KilledBySignal;

TEST(CrashGuard, SaysWhoSignalAndAddress) {
  EXPECT_EXIT(
      {
        const CrashGuard guard(always("somebody"));
        *nowhere() = 1;
      },
      ExitedWithCode(5), "^FATAL: somebody crashed: SIGSEGV at address 0x18, in .*crash_test");
  EXPECT_EXIT(
      {
        const CrashGuard guard(always("somebody"));
        std::abort();
      },
      ExitedWithCode(5), "FATAL: somebody crashed: SIGABRT\n");
  EXPECT_EXIT(
      {
        const CrashGuard guard(always("somebody"));
        __builtin_trap();
      },
      ExitedWithCode(5), "FATAL: somebody crashed: SIGILL");
}

TEST(CrashGuard, LeavesOthersAlone) {
  // Of the process that ends: what it has forked is not guarded.
  const auto expect = [](void (*end)(), int signal) {
    EXPECT_EXIT(
        {
          const CrashGuard guard(always(""));
          end();
        },
        KilledBySignal(signal), "^$");
  };
  expect([] { *nowhere() = 1; }, SIGSEGV);
  expect([] { std::abort(); }, SIGABRT);
  expect([] { static_cast<void>(raise(SIGSEGV)); }, SIGSEGV);
#ifdef __x86_64__
  expect([] { asm volatile("int3"); }, SIGTRAP);
#endif
}

TEST(CrashGuard, EndsWithItsLife) {
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT}) {
    struct sigaction before = {};
    struct sigaction after = {};
    sigaction(signal, nullptr, &before);
    { const CrashGuard guard(always("somebody")); }
    sigaction(signal, nullptr, &after);
    EXPECT_EQ(before.sa_sigaction, after.sa_sigaction) << strsignal(signal);
  }
  EXPECT_EXIT(
      {
        { const CrashGuard guard(always("somebody")); }
        *nowhere() = 1;
      },
      KilledBySignal(SIGSEGV), "^$");
}

TEST(CrashGuard, TheLastOneIsAskedFirst) {
  EXPECT_EXIT(
      {
        const CrashGuard outer(always("outer"));
        const CrashGuard middle(always(""));
        { const CrashGuard inner(always("inner")); }
        *nowhere() = 1;
      },
      ExitedWithCode(5), "^FATAL: outer crashed");
  EXPECT_EXIT(
      {
        const CrashGuard outer(always("outer"));
        const CrashGuard inner(always("inner"));
        *nowhere() = 1;
      },
      ExitedWithCode(5), "^FATAL: inner crashed");
}

TEST(StandingGuard, LetsEachRunSpeakForItself) {
  EXPECT_EXIT(
      {
        const StandingGuard standing;
        { const CrashGuard first(always("first")); }
        const CrashGuard second(always("second"));
        *nowhere() = 1;
      },
      ExitedWithCode(5), "^FATAL: second crashed");
  EXPECT_EXIT(
      {
        const StandingGuard standing;
        { const CrashGuard run(always("run")); }
        *nowhere() = 1;
      },
      KilledBySignal(SIGSEGV), "^$");
}

/// Between two guards the handlers are not installed anew, and the thread is there that looks for
/// deadlines.
TEST(StandingGuard, KeepsWhatEachRunWouldInstall) {
  const StandingGuard standing;
  const std::filesystem::directory_iterator threads("/proc/self/task");
  EXPECT_GE(std::distance(threads, std::filesystem::directory_iterator()), 2);
  stack_t stack = {};
  sigaltstack(nullptr, &stack);
  EXPECT_EQ(stack.ss_flags & SS_DISABLE, 0);
  struct sigaction between = {};
  {
    const CrashGuard run(always("run"));
  }
  sigaction(SIGSEGV, nullptr, &between);
  EXPECT_NE(between.sa_handler, SIG_DFL);
}

TEST(CrashGuard, LeavesHandlersAlone) {
  EXPECT_EXIT(
      {
        std::signal(SIGSEGV, [](int) { _exit(17); });
        const CrashGuard guard(always("somebody"));
        *nowhere() = 1;
      },
      ExitedWithCode(17), "^$");
}

TEST(CrashGuard, LeavesHandlersOfItsTimeAlone) {
  EXPECT_EXIT(
      {
        {
          const CrashGuard guard(always("somebody"));
          std::signal(SIGSEGV, [](int) { _exit(17); });
        }
        *nowhere() = 1;
      },
      ExitedWithCode(17), "^$");
  EXPECT_EXIT(
      {
        {
          const CrashGuard guard(always("somebody"));
          struct sigaction own = {};
          own.sa_sigaction = [](int, siginfo_t*, void*) { _exit(17); };
          own.sa_flags = SA_SIGINFO;
          sigaction(SIGSEGV, &own, nullptr);
        }
        *nowhere() = 1;
      },
      ExitedWithCode(17), "^$");
}

/// By a handler that would do so again and again.
TEST(CrashGuard, EndsWhatIsPassedOnToIt) {
  EXPECT_EXIT(
      {
        static struct sigaction former = {};
        {
          const CrashGuard guard(always("somebody"));
          struct sigaction own = {};
          own.sa_sigaction = [](int signal, siginfo_t* info, void* context) {
            former.sa_sigaction(signal, info, context);
          };
          own.sa_flags = SA_SIGINFO;
          sigaction(SIGSEGV, &own, &former);
        }
        *nowhere() = 1;
      },
      KilledBySignal(SIGSEGV), "^$");
}

/// A name that never comes, as when the crash was in the middle of malloc(): the handler is cut
/// off, and says that.
TEST(CrashGuard, IsNotKeptByALock) {
  const SharedText told;
  EXPECT_EXIT(
      {
        CrashGuard::leave_text_in(told.get());
        std::thread([] {
          std::this_thread::sleep_for(std::chrono::seconds(15));
          _exit(99);
        }).detach();
        const CrashGuard guard([] {
          for (;;) pause();
          return std::string();
        });
        *nowhere() = 1;
      },
      ExitedWithCode(5),
      "^FATAL: a kernel or the orchestration has crashed or does not return, and holds a lock");
  EXPECT_EQ(told->code.load(), ErrorCode::crashed);
}

/// As when the kernel has damaged the heap: what the name is made of is allocated.
TEST(CrashGuard, SaysSoIfItCrashesItself) {
  const SharedText told;
  EXPECT_EXIT(
      {
        CrashGuard::leave_text_in(told.get());
        const CrashGuard guard([] {
          *nowhere() = 1;
          return std::string();
        });
        std::abort();
      },
      ExitedWithCode(5),
      "^FATAL: a kernel or the orchestration has crashed or does not return, and the look at which "
      "has crashed, too: its memory is damaged");
  EXPECT_EQ(told->code.load(), ErrorCode::crashed);
}

TEST(CrashGuard, EndsIfItsMessageCrashes) {
  EXPECT_EXIT(
      {
        const CrashGuard guard(always("somebody"));
        CrashGuard::leave_text_in(reinterpret_cast<CrashText*>(const_cast<int*>(nowhere())));
        std::abort();
      },
      ExitedWithCode(5), "^$");
  EXPECT_EXIT(
      {
        CrashGuard::say_more_by([] { *nowhere() = 1; });
        const CrashGuard guard(always("somebody"));
        std::abort();
      },
      ExitedWithCode(5), "^FATAL: somebody crashed: SIGABRT\n[^\n]*\n$");
}

TEST(CrashGuard, LeavesItsTextToAnotherProcess) {
  const SharedText told;
  EXPECT_EXIT(
      {
        CrashGuard::leave_text_in(told.get());
        const std::string name(2 * crash_text, 'n');
        const CrashGuard guard([&] { return name; });
        std::abort();
      },
      ExitedWithCode(5), "FATAL: nnn");
  EXPECT_EQ(told->code.load(), ErrorCode::crashed);
  EXPECT_EQ(told->text, std::string(crash_text, 'n'));
}

/// In a kernel, whose turn and deadline are given. It hears of its own end after another launch has
/// ended one with another deadline, whose thread is gone.
void end_late(int64_t* args) {
  sigset_t all = {};
  sigset_t former = {};
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &former);
  CrashGuard::end_stuck({.thread = gettid(), .begun = static_cast<uint64_t>(args[0])},
                        static_cast<uint64_t>(args[1]), true);
  CrashGuard::end_stuck({}, 9000, true);
  pthread_sigmask(SIG_SETMASK, &former, nullptr);
}

void stay_in(uint64_t turn, uint64_t deadline_ms) {
  const CrashGuard guard(always("somebody"));
  const executors::Turn now{turn};
  int64_t args[] = {static_cast<int64_t>(turn), static_cast<int64_t>(deadline_ms)};
  executors::call_leavable(end_late, args, now);
}

TEST(CrashGuard, TellsEachLaunchItsOwnDeadline) {
  EXPECT_EXIT(stay_in(7, 300), ExitedWithCode(5),
              "^FATAL: somebody has not returned for 0.3 s, in ");
  EXPECT_EXIT(stay_in(7, 1'000'000'000), ExitedWithCode(5),
              "^FATAL: somebody has not returned for 1(e[+]06|000000) s, in ");
}

/// What a signal has no room for.
TEST(CrashGuard, CutsLongDeadlinesAndTurns) {
  constexpr uint64_t many = uint64_t{1} << 40;
  EXPECT_EXIT(stay_in(7, many), ExitedWithCode(5),
              "^FATAL: somebody has not returned for 1[.]?07[^ ]* s, in ");
  EXPECT_EXIT(stay_in(many + 7, 300), ExitedWithCode(5),
              "^FATAL: somebody has not returned for 0.3 s, in ");
}

class CrashesInALaunch : public testing::TestWithParam<ExecutorKind> {
 protected:
  static RunResult run(KernelEntry kernel, int32_t type, const std::function<void()>& before = {}) {
    const KernelEntry kernels[] = {kernel, [](int64_t*) {}};
    const auto entry = [&](PTO2Runtime* rt) {
      if (before) before();
      pto2_rt_submit_task(rt, 1, type, nullptr, 0);
      pto2_rt_submit_task(rt, 0, type, nullptr, 0);
    };
    return run_at(GetParam(), small_device(), {kernels, entry, {}});
  }
};

INSTANTIATE_TEST_SUITE_P(Everywhere, CrashesInALaunch, testing::ValuesIn(everywhere()),
                         [](const auto& test) { return executor_name(test.param); });

void write_nowhere(int64_t*) {
  *nowhere() = 1;
}

TEST_P(CrashesInALaunch, NameKernelTaskAndCore) {
  EXPECT_EXIT(run(write_nowhere, PTO2_WORKER_CUBE), ExitedWithCode(5),
              "FATAL: kernel 0, task 1 of ring 0, on aic[0-9]+, crashed: SIGSEGV at address 0x18");
  EXPECT_EXIT(run(write_nowhere, PTO2_WORKER_AI_CPU), ExitedWithCode(5),
              "FATAL: kernel 0, task 1 of ring 0, on scheduler[0-9]+, crashed: SIGSEGV");
}

/// An exception that leaves a function that must not throw ends in abort().
TEST_P(CrashesInALaunch, AreTerminateToo) {
  const auto terminates = [](int64_t*) {
    static void (*volatile thrower)() = [] { throw 1; };
    const auto strict = []() noexcept { thrower(); };
    strict();
  };
  EXPECT_EXIT(run(terminates, PTO2_WORKER_VECTOR), ExitedWithCode(5),
              "kernel 0, task 1 of ring 0, on aiv[0-9]+, crashed: SIGABRT");
}

TEST_P(CrashesInALaunch, NameTheOrchestration) {
  EXPECT_EXIT(run([](int64_t*) {}, PTO2_WORKER_CUBE, [] { *nowhere() = 1; }), ExitedWithCode(5),
              "FATAL: the orchestration crashed: SIGSEGV");
}

std::atomic<int> forks_ended_by{0};

void fork_and_abort() {
  forks_ended_by += signal_that_ends([] { std::abort(); });
}

TEST_P(CrashesInALaunch, AreNotThoseOfForkedProcesses) {
  const SharedText told;
  CrashGuard::leave_text_in(told.get());
  forks_ended_by = 0;
  const RunResult result =
      run([](int64_t*) { fork_and_abort(); }, PTO2_WORKER_CUBE, [] { fork_and_abort(); });
  EXPECT_EQ(result.error.code, ErrorCode::ok) << result.error.message;
  EXPECT_EQ(forks_ended_by, 2 * SIGABRT);
  EXPECT_EQ(told->code.load(), ErrorCode::ok) << told->text;
  CrashGuard::leave_text_in(nullptr);
}

int64_t go_down(int64_t depth);
int64_t (*volatile deeper)(int64_t) = go_down;

int64_t go_down(int64_t depth) {
  volatile int64_t frame[512] = {depth};
  return deeper(depth + 1) + frame[0];
}

TEST_P(CrashesInALaunch, OnItsOwnStack) {
  EXPECT_EXIT(run([](int64_t*) { static_cast<void>(go_down(0)); }, PTO2_WORKER_CUBE),
              ExitedWithCode(5),
              "kernel 0, task 1 of ring 0, on aic[0-9]+, crashed: SIG(SEGV|BUS)");
}

/// As one does whose frame begins beyond the stack and that uses the low end of it, if it is
/// compiled without stack probes. It returns if such a frame could have somebody's memory.
void use_large_frame(int64_t*) {
  constexpr std::size_t step = std::size_t{64} << 10;
  char* const top = static_cast<char*>(__builtin_frame_address(0));
  for (std::size_t bytes = (std::size_t{1} << 20) + step; bytes < executors::StackCache::gap;
       bytes += step) {
    if (!is_unusable(top - bytes)) return;
  }
  *static_cast<volatile char*>(top - (std::size_t{3} << 20)) = 1;
}

TEST_P(CrashesInALaunch, WithAFrameThatBeginsBeyondTheStack) {
  if (GetParam() == ExecutorKind::threads) GTEST_SKIP() << "its stacks are large enough";
  EXPECT_EXIT(run(use_large_frame, PTO2_WORKER_CUBE), ExitedWithCode(5),
              "kernel 0, task 1 of ring 0, on aic[0-9]+, crashed: SIGSEGV");
}

std::atomic<pthread_t> first_core{};

/// A core that has nothing to do has no kernel to blame.
TEST(CrashesOfTheRuntime, AreNotThoseOfTheLastKernel) {
  static constexpr KernelEntry kernels[] = {[](int64_t*) { first_core = pthread_self(); },
                                            [](int64_t*) {
                                              pthread_kill(first_core, SIGSEGV);
                                              for (;;) pause();
                                            }};
  const auto entry = [](PTO2Runtime* rt) {
    const uint64_t shape[] = {1};
    pto2_rt_init_tensor_pool(rt);
    const Tensor tensor = make_tensor(shape, 1);
    PTOParam param = make_output_param(tensor);
    pto2_rt_submit_task(rt, 0, PTO2_WORKER_CUBE, &param, 1);
    param = make_input_param(tensor);
    pto2_rt_submit_task(rt, 1, PTO2_WORKER_VECTOR, &param, 1);
  };
  EXPECT_EXIT(
      static_cast<void>(run_at(ExecutorKind::threads, small_device(), {kernels, entry, {}})),
      KilledBySignal(SIGSEGV), "^$");
}

}  // namespace
}  // namespace pto2::test
