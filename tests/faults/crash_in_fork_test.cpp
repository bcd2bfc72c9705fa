/// Crash guards in processes that were forked.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <new>
#include <string>
#include <thread>

#include "runtime/device/crash_guard.hpp"
#include "tests/faults/crashes.hpp"

namespace pto2::test {
namespace {

using testing::ExitedWithCode;

/// Which does not keep what other threads were about when it was forked.
TEST(CrashGuard, IsForForkedProcessesToo) {
  std::atomic<bool> over{false};
  std::thread others([&over] {
    while (!over) {
      const CrashGuard guard(always("another thread"));
    }
  });
  int signal = 0;
  for (int i = 0; i < 200 && signal == 0; ++i) {
    signal = signal_that_ends([] { const CrashGuard guard(always("somebody")); });
  }
  EXPECT_EQ(signal, 0);
  over = true;
  others.join();
}

/// Those of other threads lie on stacks that are used for something else there. Its own ends there
/// as well, perhaps.
TEST(CrashGuard, IsForgottenInForkedProcesses) {
  void* const stack =
      mmap(nullptr, sizeof(CrashGuard), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(stack, MAP_FAILED);
  auto* const other = new (stack) CrashGuard(always("another thread"));
  EXPECT_EQ(signal_that_ends([&] {
              munmap(stack, sizeof(CrashGuard));
              const CrashGuard guard(always(""));
              *nowhere() = 1;
            }),
            SIGSEGV);
  EXPECT_EQ(signal_that_ends([&] {
              struct sigaction now = {};
              sigaction(SIGSEGV, nullptr, &now);
              if ((now.sa_flags & SA_SIGINFO) != 0 || now.sa_handler != SIG_DFL) raise(SIGUSR1);
              other->~CrashGuard();
            }),
            0);
  other->~CrashGuard();
  munmap(stack, sizeof(CrashGuard));
}

TEST(CrashGuard, LeavesForkedProcessesAlone) {
  const SharedText told;
  CrashGuard::leave_text_in(told.get());
  const CrashGuard guard(always("somebody"));
  for (const auto fork_off : {fork, _Fork}) {
    EXPECT_EQ(signal_that_ends([] { std::abort(); }, fork_off), SIGABRT);
    EXPECT_EQ(signal_that_ends([] { *nowhere() = 1; }, fork_off), SIGSEGV);
  }
  EXPECT_EQ(told->code.load(), ErrorCode::ok);
  CrashGuard::leave_text_in(nullptr);
}

/// One without the handlers of forks may come while somebody looks for the name of what crashed,
/// who is not in it.
TEST(CrashGuard, KeepsNoForkedProcess) {
  EXPECT_EXIT(
      {
        const CrashGuard guard([] {
          const int signal = signal_that_ends([] { std::abort(); }, _Fork);
          return std::string(signal == SIGABRT ? "who forked" : "who was kept");
        });
        *nowhere() = 1;
      },
      ExitedWithCode(5), "^FATAL: who forked crashed: SIGSEGV");
}

/// To its own stderr: the text is that of the process that has asked for it.
TEST(CrashGuard, OfAForkedProcessSpeaksForIt) {
  const SharedText told;
  CrashGuard::leave_text_in(told.get());
  const CrashGuard guard(always("somebody"));
  EXPECT_EXIT(
      {
        const CrashGuard own(always("forked"));
        std::abort();
      },
      ExitedWithCode(5), "^FATAL: forked crashed");
  EXPECT_EQ(told->code.load(), ErrorCode::ok);
  CrashGuard::leave_text_in(nullptr);
}

/// Without the handlers of forks it has the guards of its parent as well.
TEST(CrashGuard, OfAProcessForkedWithoutHandlersSpeaksForIt) {
  const CrashGuard guard(always(""));
  const auto crash = [] {
    const CrashGuard own(always("forked"));
    std::abort();
  };
  EXPECT_EQ(signal_that_ends(crash, _Fork), 0);
}

}  // namespace
}  // namespace pto2::test
