#include "runtime/device/exit_guard.hpp"

#include <cxxabi.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <new>
#include <string>
#include <thread>

#include "tests/runtime/device/task_graph.hpp"

namespace pto2::test {
namespace {

using testing::ExitedWithCode;

ExitGuard::Who always(const char* name) {
  return [name] { return std::string(name); };
}

TEST(ExitGuard, SaysWhoCalled) {
  EXPECT_EXIT(
      {
        const ExitGuard guard(always("somebody"));
        std::exit(0);
      },
      ExitedWithCode(5),
      "^FATAL: somebody called exit\\(\\) or pthread_exit\\(\\) in the middle of a run");
}

TEST(ExitGuard, SaysWhoCalledQuickExit) {
  EXPECT_EXIT(
      {
        const ExitGuard outer(always("outer"));
        const ExitGuard middle(always(""));
        { const ExitGuard inner(always("inner")); }
        std::quick_exit(0);
      },
      ExitedWithCode(5), "^FATAL: outer called quick_exit\\(\\) in the middle of a run");
  EXPECT_EXIT(
      {
        const ExitGuard guard(always(""));
        std::quick_exit(3);
      },
      ExitedWithCode(3), "^$");
}

/// However many have lived.
TEST(ExitGuard, IsAskedOnceAtAQuickExit) {
  EXPECT_EXIT(
      {
        for (int i = 0; i < 3; ++i) const ExitGuard former(always("former"));
        const ExitGuard guard([] {
          std::fputs("asked", stderr);
          return std::string();
        });
        std::quick_exit(3);
      },
      ExitedWithCode(3), "^asked$");
}

TEST(ExitGuard, LeavesOthersAlone) {
  EXPECT_EXIT(
      {
        const ExitGuard guard(always(""));
        std::exit(3);
      },
      ExitedWithCode(3), "^$");
}

TEST(ExitGuard, EndsWithItsLife) {
  EXPECT_EXIT(
      {
        { const ExitGuard guard(always("somebody")); }
        std::exit(3);
      },
      ExitedWithCode(3), "^$");
}

/// How a process ends that does this: its exit code, or a negative number.
template <class Child>
int code_of_fork(Child&& child, pid_t (*fork_off)() = fork) {
  std::fflush(nullptr);  // or the child writes it, too
  const pid_t process = fork_off();
  if (process == 0) {
    alarm(10);  // or a lock that it waits for keeps it for ever
    child();
    _exit(99);
  }
  int status = 0;
  waitpid(process, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

TEST(ExitGuard, LeavesOtherProcessesAlone) {
  const ExitGuard guard(always("somebody"));
  EXPECT_EQ(code_of_fork([] { std::exit(3); }), 3);
  EXPECT_EQ(code_of_fork([] { std::quick_exit(4); }), 4);
}

/// Without the handlers of forks it has the guards of its parent, which are not asked there.
TEST(ExitGuard, OfAForkedProcessIsNotItsParents) {
  const ExitGuard guard(always("somebody"));
  const auto end_by = [](void (*end)(int)) {
    return code_of_fork(
        [end] {
          const ExitGuard own(always(""));
          end(3);
        },
        _Fork);
  };
  EXPECT_EQ(end_by([](int code) { std::exit(code); }), 3);
  EXPECT_EQ(end_by([](int code) { std::quick_exit(code); }), 3);
}

/// Which does not keep what other threads were about when it was forked.
TEST(ExitGuard, IsForForkedProcessesToo) {
  std::atomic<bool> over{false};
  std::thread others([&over] {
    while (!over) {
      const ExitGuard guard(always("another thread"));
    }
  });
  for (int i = 0; i < 200; ++i) {
    const int code = code_of_fork([] {
      const ExitGuard guard(always("somebody"));
      _exit(3);
    });
    EXPECT_EQ(code, 3);
    if (code != 3) break;
  }
  over = true;
  others.join();
}

/// Those of other threads lie on stacks that are used for something else there. Its own ends there
/// as well, perhaps.
TEST(ExitGuard, IsForgottenInForkedProcesses) {
  void* const stack =
      mmap(nullptr, sizeof(ExitGuard), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(stack, MAP_FAILED);
  auto* const other = new (stack) ExitGuard(always("another thread"));
  const auto end_without = [&](void (*end)()) {
    return code_of_fork([&] {
      munmap(stack, sizeof(ExitGuard));
      { const ExitGuard guard(always("somebody")); }
      end();
    });
  };
  EXPECT_EQ(end_without([] { std::exit(3); }), 3);
  EXPECT_EQ(end_without([] { std::quick_exit(4); }), 4);
  EXPECT_EQ(code_of_fork([&] {
              other->~ExitGuard();
              std::exit(3);
            }),
            3);
  other->~ExitGuard();
  munmap(stack, sizeof(ExitGuard));
}

TEST(ExitGuard, TheLastOneIsAskedFirst) {
  EXPECT_EXIT(
      {
        const ExitGuard outer(always("outer"));
        const ExitGuard inner(always("inner"));
        std::exit(0);
      },
      ExitedWithCode(5), "^FATAL: inner called");
  EXPECT_EXIT(
      {
        const ExitGuard outer(always("outer"));
        const ExitGuard middle(always(""));
        { const ExitGuard inner(always("inner")); }
        std::exit(0);
      },
      ExitedWithCode(5), "^FATAL: outer called");
}

/// What calls exit() there waits until it can ask.
TEST(ExitGuard, IsAskedBesideTheEndOfAnother) {
  EXPECT_EXIT(
      {
        const ExitGuard outer(always("outer"));
        {
          ExitGuard inner(always(""));
          const auto call_exit = [](void*) {
            std::thread([] { std::exit(0); }).detach();
            std::this_thread::sleep_for(std::chrono::milliseconds(200));
          };
          abi::__cxa_atexit(call_exit, nullptr, &inner);
        }
        for (;;) pause();
      },
      ExitedWithCode(5), "^FATAL: outer called exit");
}

/// A process that is forked without handlers of forks has the lock of the guards as it was: here,
/// taken by the end of one.
TEST(ExitGuard, IsNotAskedInAProcessThatMayHaveItsLock) {
  static int code = 0, quick = 0;
  const ExitGuard outer(always("outer"));
  {
    ExitGuard inner(always("inner"));
    const auto end_in_forks = [](void*) {
      code = code_of_fork([] { std::exit(3); }, _Fork);
      quick = code_of_fork([] { std::quick_exit(4); }, _Fork);
    };
    abi::__cxa_atexit(end_in_forks, nullptr, &inner);
  }
  EXPECT_EQ(code, 3);
  EXPECT_EQ(quick, 4);
}

/// What was printed to files that are open is in them, as after any exit().
TEST(ExitGuard, LosesNothingThatWasPrinted) {
  const std::string path = testing::TempDir() + "exit_guard_test." + std::to_string(getpid());
  EXPECT_EXIT(
      {
        const ExitGuard guard(always("somebody"));
        std::fputs("printed", std::fopen(path.c_str(), "w"));
        std::exit(0);
      },
      ExitedWithCode(5), "^FATAL: somebody");
  std::string text;
  std::ifstream(path) >> text;
  std::remove(path.c_str());
  EXPECT_EQ(text, "printed");
}

class ExitsInALaunch : public testing::TestWithParam<ExecutorKind> {
 protected:
  static void run(
      int32_t type, const std::function<void()>& before = {},
      KernelEntry kernel = [](int64_t*) { std::exit(0); }) {
    const KernelEntry kernels[] = {kernel, [](int64_t*) {}};
    const auto entry = [&](PTO2Runtime* rt) {
      if (before) before();
      pto2_rt_submit_task(rt, 1, type, nullptr, 0);
      pto2_rt_submit_task(rt, 0, type, nullptr, 0);
    };
    static_cast<void>(run_at(GetParam(), small_device(), {kernels, entry, {}}));
  }
};

INSTANTIATE_TEST_SUITE_P(Everywhere, ExitsInALaunch, testing::ValuesIn(everywhere()),
                         [](const auto& test) { return executor_name(test.param); });

TEST_P(ExitsInALaunch, NameKernelTaskAndThread) {
  EXPECT_EXIT(run(PTO2_WORKER_CUBE), ExitedWithCode(5),
              "FATAL: kernel 0, task 1 of ring 0, on aic[0-9]+, called exit");
  EXPECT_EXIT(run(PTO2_WORKER_AI_CPU), ExitedWithCode(5),
              "FATAL: kernel 0, task 1 of ring 0, on scheduler[0-9]+, called exit");
}

TEST_P(ExitsInALaunch, NameTheOrchestration) {
  EXPECT_EXIT(run(PTO2_WORKER_CUBE, [] { std::exit(0); }), ExitedWithCode(5),
              "FATAL: the orchestration called exit");
}

/// What ends an OS thread would end others' work with it.
TEST_P(ExitsInALaunch, AreThoseOfThreadsToo) {
  const KernelEntry kernel = [](int64_t*) { pthread_exit(nullptr); };
  for (const int32_t type : {PTO2_WORKER_VECTOR, PTO2_WORKER_AI_CPU}) {
    EXPECT_EXIT(run(type, {}, kernel), ExitedWithCode(5),
                "FATAL: kernel 0, task 1 of ring 0, on .*, called exit\\(\\) or pthread_exit");
  }
  EXPECT_EXIT(run(PTO2_WORKER_CUBE, [] { pthread_exit(nullptr); }), ExitedWithCode(5),
              "FATAL: the orchestration called exit\\(\\) or pthread_exit");
}

/// A kernel may have a process of its own for something.
TEST_P(ExitsInALaunch, AreNotThoseOfForkedProcesses) {
  static std::atomic<int> code{0};
  const KernelEntry kernel = [](int64_t*) { code = code_of_fork([] { std::exit(3); }); };
  code = 0;
  run(PTO2_WORKER_CUBE, {}, kernel);
  EXPECT_EQ(code, 3);
  const auto forks = [] { code = code_of_fork([] { std::quick_exit(4); }); };
  run(PTO2_WORKER_CUBE, forks, [](int64_t*) {});
  EXPECT_EQ(code, 4);
}

/// Of a thread that the launch does not know, it knows nothing.
TEST_P(ExitsInALaunch, AreNotThoseOfOtherThreads) {
  EXPECT_EXIT(run(PTO2_WORKER_CUBE, [] { std::thread([] { std::exit(3); }).join(); }),
              ExitedWithCode(3), "^$");
}

}  // namespace
}  // namespace pto2::test
