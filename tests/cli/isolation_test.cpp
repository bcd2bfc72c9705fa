#include "runtime/cli/isolation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <string>

#include "runtime/device/crash_guard.hpp"
#include "runtime/device/exit_guard.hpp"
#include "runtime/output/chosen_end.hpp"

namespace pto2::cli {
namespace {

/// How a process ends that does this.
template <class Child>
IsolatedEnd end_of_process(Child&& child) {
  const std::optional<IsolatedEnd> end = isolate();
  if (!end) {
    child();
    _exit(99);
  }
  return *end;
}

TEST(Isolation, AProcessEndsWithTheCodeThatItHasChosen) {
  for (const int code : {0, 1, 4}) {
    const IsolatedEnd end = end_of_process([&] { end_at_once(code); });
    EXPECT_EQ(end.error.code, ErrorCode::ok);
    EXPECT_EQ(end.code, code);
  }
}

/// A sanitizer that finds leaks at the very end has the last word.
TEST(Isolation, WhatIsFoundAfterTheChoiceCounts) {
  const IsolatedEnd end = end_of_process([] {
    chosen(0);
    _exit(23);
  });
  EXPECT_EQ(end.error.code, ErrorCode::ok);
  EXPECT_EQ(end.code, 23);
}

/// Nobody hears of the end of a process then, unless its parent wants to.
TEST(Isolation, EndsWhereSigchldIsIgnored) {
  const auto is_ignored = [] {
    struct sigaction now {};
    sigaction(SIGCHLD, nullptr, &now);
    return now.sa_handler == SIG_IGN;
  };
  std::signal(SIGCHLD, SIG_IGN);
  alarm(10);  // or it waits for ever
  const IsolatedEnd end = end_of_process([&] { end_at_once(is_ignored() ? 1 : 4); });
  alarm(0);
  EXPECT_EQ(end.error.code, ErrorCode::ok);
  EXPECT_EQ(end.code, 1) << "the run has it as it was";
  EXPECT_TRUE(is_ignored());
  std::signal(SIGCHLD, SIG_DFL);
}

/// Waits for the end of a process that does this; its exit code.
template <class Child>
int code_of_fork(Child&& child) {
  const pid_t process = fork();
  if (process == 0) {
    child();
    _exit(99);
  }
  int status = 0;
  waitpid(process, &status, 0);
  return WEXITSTATUS(status);
}

TEST(Isolation, WhatTheRunForksEndsAsItLikes) {
  const IsolatedEnd exits = end_of_process([] {
    const ExitGuard guard([] { return std::string("kernel 7"); });
    end_at_once(code_of_fork([] { std::exit(3); }));
  });
  EXPECT_EQ(exits.error.code, ErrorCode::ok) << exits.error.message;
  EXPECT_EQ(exits.code, 3);
  const IsolatedEnd guarded = end_of_process([] {
    const int code = code_of_fork([] {
      const ExitGuard guard([] { return std::string("kernel 7"); });
      std::exit(3);
    });
    end_at_once(code);
  });
  EXPECT_EQ(guarded.error.code, ErrorCode::ok) << "of a run of its own";
  EXPECT_EQ(guarded.code, 5);
  const IsolatedEnd chosen = end_of_process([] {
    code_of_fork([] { end_at_once(0); });
    _exit(0);
  });
  EXPECT_EQ(chosen.error.code, ErrorCode::exited) << "the choice was not the run's";
}

/// A graph is not known to be at fault for either, so that no run is expected to end so.
TEST(Isolation, ABugIsSuspectedOfCrashesAlone) {
  const auto end = [](int signal) {
    return end_of_process([signal] {
             std::signal(signal, SIG_DFL);  // whatever this program was started with
             raise(signal);
           })
        .error;
  };
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT}) {
    EXPECT_EQ(end(signal).code, ErrorCode::runtime_crashed) << signal;
    EXPECT_EQ(end(signal).hint, row_of(ErrorCode::runtime_crashed).hint) << signal;
  }
  for (const int signal : {SIGALRM, SIGHUP, SIGTERM, SIGUSR1}) {
    EXPECT_EQ(end(signal).code, ErrorCode::killed) << signal;
    EXPECT_EQ(end(signal).hint, "see who sent it") << signal;
  }
  for (const int signal : {SIGXCPU, SIGXFSZ}) {
    EXPECT_EQ(end(signal).code, ErrorCode::killed) << signal;
    EXPECT_EQ(end(signal).hint, "see the limits of this process (ulimit -a)") << signal;
  }
  EXPECT_EQ(end(SIGKILL).code, ErrorCode::killed);
  EXPECT_EQ(end(SIGKILL).hint, "see whether the system was out of memory, or who sent it");
  EXPECT_EQ(end(SIGPIPE).hint, "see whether who reads what the run writes has ended");
}

/// Of a process in which a guard lives, that knows whose fault it is or not.
template <class Child>
RunError error_beside_guard(const char* who, Child&& child) {
  return end_of_process([&] {
           std::signal(SIGTRAP, SIG_DFL);  // whatever this program was started with
           const CrashGuard guard([who] { return std::string(who); });
           child();
         })
      .error;
}

/// No handler can tell of it, and no bug of ours is needed for it.
TEST(Isolation, ACrashThatNoHandlerHearsOfIsOneOfTheUsers) {
  const auto taken_away = [] {
    std::signal(SIGTRAP, SIG_DFL);
    raise(SIGTRAP);
  };
  const RunError of_taken = error_beside_guard("kernel 7", taken_away);
  EXPECT_EQ(of_taken.code, ErrorCode::crashed);
  EXPECT_THAT(of_taken.message, testing::HasSubstr("SIGTRAP ended the process of the run past its "
                                                   "handler: a kernel or the orchestration has"));
  const auto known_to_nobody = [] { raise(SIGTRAP); };
  EXPECT_EQ(error_beside_guard("", known_to_nobody).code, ErrorCode::runtime_crashed);
  const RunError behind_guard = end_of_process([&] {
                                  {
                                    const CrashGuard guard([] { return std::string(); });
                                  }
                                  taken_away();
                                }).error;
  EXPECT_EQ(behind_guard.code, ErrorCode::runtime_crashed);
  const auto blocked = [] {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, nullptr);
#if defined(__x86_64__)
    asm volatile("int3");
#else
    taken_away();
#endif
  };
  EXPECT_EQ(error_beside_guard("kernel 7", blocked).code, ErrorCode::crashed);
}

/// What the process has written is whole, and its code says what it is.
TEST(Isolation, AProcessThatIsKilledAfterItsChoiceHasMadeIt) {
  const IsolatedEnd end = end_of_process([] {
    chosen(4);
    raise(SIGTERM);
  });
  EXPECT_EQ(end.error.code, ErrorCode::ok) << end.error.message;
  EXPECT_EQ(end.code, 4);
}

/// What it has written stands; without --isolate the process would end like that, too.
TEST(Isolation, ACrashAfterTheChoiceHasTheCodeOfTheCrash) {
  for (const auto& [signal, code] : {std::pair{SIGABRT, 134}, {SIGSEGV, 139}}) {
    const IsolatedEnd end = end_of_process([signal] {
      chosen(0);
      std::signal(signal, SIG_DFL);
      (void)raise(signal);
    });
    EXPECT_EQ(end.error.code, ErrorCode::ok);
    EXPECT_EQ(end.code, code);
    EXPECT_THAT(end.warning, testing::HasSubstr("ended the process of the run behind its result"));
  }
}

/// Before the process hears of signals itself, or when it does no more.
TEST(Isolation, ASignalThatWasPassedOnEndsItAsItWouldEndThisOne) {
  for (const auto& [signal, code] : {std::pair{SIGINT, 130}, {SIGTERM, 143}}) {
    const IsolatedEnd end = end_of_process([signal] {
      kill(getppid(), signal);
      for (;;) pause();
    });
    EXPECT_EQ(end.error.code, ErrorCode::ok) << end.error.message;
    EXPECT_EQ(end.code, code);
  }
  const IsolatedEnd other = end_of_process([] {
    std::signal(SIGINT, SIG_IGN);
    kill(getppid(), SIGINT);
    usleep(100'000);
    raise(SIGTERM);
  });
  EXPECT_EQ(other.error.code, ErrorCode::killed) << "it was another signal";
}

TEST(Isolation, WhoseProcessSaidNothingIsToldByItsParent) {
  const IsolatedEnd exited = end_of_process([] { _exit(0); });
  EXPECT_EQ(exited.error.code, ErrorCode::exited);
  EXPECT_FALSE(exited.is_told);
  const IsolatedEnd killed = end_of_process([] { raise(SIGKILL); });
  EXPECT_EQ(killed.error.code, ErrorCode::killed);
  EXPECT_FALSE(killed.is_told);
}

TEST(Isolation, WhatTheProcessSaidIsNotToldTwice) {
  const IsolatedEnd end = end_of_process([] {
    const ExitGuard guard([] { return std::string("kernel 7"); });
    std::exit(0);
  });
  EXPECT_EQ(end.error.code, ErrorCode::exited);
  EXPECT_THAT(end.error.message, testing::HasSubstr("kernel 7 called exit()"));
  EXPECT_TRUE(end.is_told);
}

/// Whoever waits for it knows how it ended.
TEST(Isolation, AProcessThatTheRunForksIsNotTheRun) {
  const IsolatedEnd end = end_of_process([] {
    const CrashGuard guard([] { return std::string("kernel 7"); });
    const pid_t forked = fork();
    if (forked == 0) std::abort();
    waitpid(forked, nullptr, 0);
    end_at_once(0);
  });
  EXPECT_EQ(end.error.code, ErrorCode::ok) << end.error.message;
  EXPECT_EQ(end.code, exit_pass);
}

}  // namespace
}  // namespace pto2::cli
