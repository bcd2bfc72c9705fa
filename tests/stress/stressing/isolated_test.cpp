#include "stress/stressing/isolated.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <new>
#include <stdexcept>
#include <system_error>

#include "runtime/loader/load_error.hpp"
#include "runtime/output/shared_with_forks.hpp"
#include "tests/support/full_stderr.hpp"
#include "tests/support/usual_signals.hpp"

namespace pto2::stress {
namespace {

using namespace std::chrono_literals;

Ended run(const std::function<std::string()>& work, const Patience& patience = {60s, 60s}) {
  PendingSignals signals;
  return run_isolated(
      work, [] {}, patience, signals);
}

TEST(Isolated, ReturnsWhatTheWorkReturned) {
  const std::string long_text(1 << 20, 'x');
  const Ended ended = run([&] { return long_text; });
  EXPECT_TRUE(ended.completed);
  EXPECT_FALSE(ended.stopped);
  EXPECT_EQ(ended.result, long_text);
  EXPECT_EQ(ended.errors, "");
  EXPECT_EQ(ended.how, "");
}

/// What the caller has written and not flushed is the caller's.
TEST(Isolated, WritesNothingOfItsCaller) {
  std::FILE* const file = std::tmpfile();
  ASSERT_NE(file, nullptr);
  std::fputs("once", file);
  EXPECT_TRUE(run([] { return std::string(); }).completed);
  std::fseek(file, 0, SEEK_END);
  EXPECT_EQ(std::ftell(file), 4);
  std::fclose(file);
}

std::atomic<int>* ends_seen = nullptr;

/// Sanitizers report at the end of a program.
TEST(Isolated, EndsAsAProgramDoes) {
  const cli::SharedWithForks<std::atomic<int>> seen;
  ends_seen = &*seen;
  EXPECT_TRUE(run([] {
                std::atexit([] { ++*ends_seen; });
                return std::string();
              }).completed);
  EXPECT_EQ(seen->load(), 1);
}

TEST(Isolated, TellsTheSignalAndTheLastWords) {
  const Ended ended = run([]() -> std::string {
    std::fputs("the end\n", stderr);
    std::abort();
  });
  EXPECT_FALSE(ended.completed);
  EXPECT_FALSE(ended.stopped);
  EXPECT_EQ(ended.how, "SIGABRT");
  EXPECT_THAT(ended.errors, testing::HasSubstr("the end\n"));
}

TEST(Isolated, TellsAnExitCodeAndWhatWasThrown) {
  const Ended exits = run([]() -> std::string { std::_Exit(3); });
  EXPECT_FALSE(exits.completed);
  EXPECT_EQ(exits.how, "exit code 3");
  const Ended throws = run([]() -> std::string { throw std::runtime_error("no cores left"); });
  EXPECT_FALSE(throws.completed);
  EXPECT_THAT(throws.errors, testing::HasSubstr("no cores left"));
}

/// Code of the user's ends the process before the work has returned, or a sanitizer after it.
TEST(Isolated, HasNotCompletedWhereItDidNotReturnOrEndsWithACode) {
  for (const int code : {0, 71}) {
    const Ended exits = run([&]() -> std::string { std::exit(code); });
    EXPECT_FALSE(exits.completed || exits.refused);
    EXPECT_EQ(exits.how, "exit code " + std::to_string(code));
  }
  const Ended late = run([] {
    std::atexit([] { _exit(9); });
    return std::string("done");
  });
  EXPECT_FALSE(late.completed);
  EXPECT_EQ(late.how, "exit code 9");
}

/// Nobody would hear of the end of a process then.
TEST(Isolated, TellsAnExitCodeWhereSigchldIsIgnored) {
  const auto is_ignored = [] {
    struct sigaction now {};
    sigaction(SIGCHLD, nullptr, &now);
    return now.sa_handler == SIG_IGN;
  };
  std::signal(SIGCHLD, SIG_IGN);
  const Ended exits = run([&]() -> std::string { std::_Exit(is_ignored() ? 3 : 4); });
  EXPECT_FALSE(exits.completed);
  EXPECT_EQ(exits.how, "exit code 3") << "the work has it as it was";
  EXPECT_TRUE(is_ignored());
  std::signal(SIGCHLD, SIG_DFL);
}

Ended run_that_throws(const std::function<void()>& raise_it) {
  return run([&] {
    raise_it();
    return std::string("went on");
  });
}

TEST(Isolated, TellsWhatIsNoFaultOfTheWork) {
  const auto reason = [](const std::function<void()>& raise_it) {
    const Ended ended = run_that_throws(raise_it);
    EXPECT_TRUE(ended.refused);
    EXPECT_FALSE(ended.completed);
    EXPECT_FALSE(ended.stopped);
    return ended.result;
  };
  EXPECT_EQ(reason([] { throw cli::CliError(cli::exit_bad_input, "no such case"); }),
            "no such case");
  EXPECT_EQ(reason([] { throw LoadError("a.so", "is no image", "build it"); }),
            "a.so: is no image; build it");
  EXPECT_THAT(reason([] { throw std::bad_alloc(); }), testing::StartsWith("out of memory; "));
  const auto no_thread = [] {
    throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again));
  };
  EXPECT_THAT(reason(no_thread), testing::StartsWith("the system refused: "));
  const Ended wrong = run_that_throws([] { throw std::logic_error("odd"); });
  EXPECT_FALSE(wrong.refused);
  EXPECT_FALSE(run([] { return std::string(); }).refused);
}

TEST(Isolated, KeepsTheEndOfLongErrors) {
  const Ended ended = run([]() -> std::string {
    for (int i = 0; i < 10'000; ++i) std::fprintf(stderr, "line %d\n", i);
    std::abort();
  });
  EXPECT_THAT(ended.errors, testing::EndsWith("line 9999\n"));
  EXPECT_LE(ended.errors.size(), 16U << 10);
}

TEST(Isolated, IsKilledWhenItsTimeIsUp) {
  const Ended ended = run(
      []() -> std::string {
        for (;;) pause();
      },
      {50ms, 60s});
  EXPECT_TRUE(ended.stopped);
  EXPECT_FALSE(ended.completed);
}

TEST(Isolated, IsGivenUpWhenItIsStopped) {
  const Ended ended = run(
      []() -> std::string {
        raise(SIGSTOP);
        return "went on";
      },
      {20s, 400ms});
  EXPECT_FALSE(ended.stopped) << "it is a failure, not an interruption";
  EXPECT_FALSE(ended.completed);
  EXPECT_EQ(ended.how, "SIGKILL, since it had used no processor for 0.4 s: was it stopped?");
}

TEST(Isolated, IsNotGivenUpWhileItWorksNowAndThen) {
  const Ended ended = run(
      [] {
        for (int i = 0; i < 6; ++i) usleep(450'000);
        return std::string("done");
      },
      {60s, 1100ms});
  EXPECT_TRUE(ended.completed) << ended.how;
}

/// As a shell does with all processes of a job: the caller does nothing while the other is stopped.
TEST(Isolated, IsNotGivenUpWhenItsCallerWasStoppedToo) {
  const cli::SharedWithForks<std::atomic<pid_t>> child;
  int looks = 0;
  const auto stop_and_go_on = [&] {
    const pid_t process = child->load();
    if (process == 0) return;
    ++looks;
    if (looks == 1) kill(process, SIGSTOP);
    if (looks == 3) usleep(2'200'000);  // at the second it may still have been about to stop
    if (looks < 4) return;
    kill(process, SIGCONT);
    child->store(0);
  };
  PendingSignals signals;
  const Ended ended = run_isolated(
      [&] {
        child->store(getpid());
        while (child->load() != 0) usleep(10'000);
        return std::string("went on");
      },
      stop_and_go_on, {60s, 1900ms}, signals);
  EXPECT_TRUE(ended.completed) << ended.how;
}

/// Forks a process that runs another one isolated, and kills the former as soon as the latter has
/// begun; the end of a pipe that is closed when both are gone.
int end_of_killed_family() {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) throw std::runtime_error("pipe");
  const pid_t middle = fork();
  if (middle == 0) {
    (void)run([&]() -> std::string {
      alarm(30);  // nobody else ends one that is forgotten
      (void)!write(ends[1], "x", 1);
      for (;;) pause();
    });
    _exit(0);
  }
  close(ends[1]);
  char begun = 0;
  (void)!read(ends[0], &begun, 1);
  kill(middle, SIGKILL);
  waitpid(middle, nullptr, 0);
  return ends[0];
}

TEST(Isolated, EndsWithTheOneThatStartedIt) {
  const int end = end_of_killed_family();
  pollfd closed{end, POLLIN, 0};
  EXPECT_EQ(poll(&closed, 1, 10'000), 1) << "it still runs";
  close(end);
}

TEST(Isolated, IsKilledByASignalToTheCaller) {
  PendingSignals signals;
  EXPECT_FALSE(signals.look());
  EXPECT_EQ(signals.exit_code(), std::nullopt);
  const Ended ended = run_isolated(
      []() -> std::string {
        for (;;) pause();
      },
      [] { kill(getpid(), SIGTERM); }, {60s, 60s}, signals);
  EXPECT_TRUE(ended.stopped);
  EXPECT_EQ(signals.exit_code(), cli::exit_terminated);
}

/// Nobody has read what it returned.
TEST(Isolated, HasNotCompletedWhenTheSignalComesFirst) {
  test::have_usual_signals();
  PendingSignals signals;
  const Ended ended = run_isolated([] { return std::string("unread"); },
                                   [] {
                                     usleep(300'000);
                                     kill(getpid(), SIGINT);
                                   },
                                   {60s, 60s}, signals);
  EXPECT_TRUE(ended.stopped);
  EXPECT_FALSE(ended.completed);
  EXPECT_EQ(signals.exit_code(), cli::exit_interrupted);
}

TEST(Isolated, AForkBlocksNoSignals) {
  const Ended ended = run([]() -> std::string {
    test::have_usual_signals();
    raise(SIGTERM);
    return "went on";
  });
  EXPECT_EQ(ended.how, "SIGTERM");
}

TEST(SharedWithForks, IsZeroAndSeenByBoth) {
  const cli::SharedWithForks<std::atomic<uint64_t>> number;
  EXPECT_EQ(number->load(), 0U);
  ASSERT_TRUE(run([&] {
                number->store(7);
                return std::string();
              }).completed);
  EXPECT_EQ(number->load(), 7U);
}

TEST(PendingSignals, TheFirstIsTheOneThatCounts) {
  PendingSignals signals;
  raise(SIGTERM);
  EXPECT_TRUE(signals.look());
  raise(SIGINT);
  EXPECT_TRUE(signals.look());
  EXPECT_TRUE(signals.look()) << "one that came before";
  EXPECT_EQ(signals.exit_code(), cli::exit_terminated);
}

TEST(PendingSignals, WaitForNobodyWhoReadsStderr) {
  const Ended ended = run([]() -> std::string {
    test::fill_stderr();
    alarm(20);
    PendingSignals signals;
    raise(SIGTERM);
    return signals.look() ? "seen" : "not seen";
  });
  EXPECT_EQ(ended.result, "seen") << ended.how;
}

/// As SIGINT is for what a shell runs in the background.
TEST(PendingSignals, OneThatIsIgnoredDoesNotCount) {
  const Ended ended = run([]() -> std::string {
    test::have_usual_signals();
    std::signal(SIGINT, SIG_IGN);
    PendingSignals signals;
    raise(SIGINT);
    if (signals.look()) return "ended";
    raise(SIGTERM);
    return signals.look() ? "went on" : "hears nothing";
  });
  EXPECT_EQ(ended.result, "went on");
}

TEST(PendingSignals, NoneEndsTheProcessAfterwards) {
  const Ended ended = run([]() -> std::string {
    test::have_usual_signals();
    const PendingSignals signals;
    raise(SIGINT);
    raise(SIGTERM);
    return "went on";
  });
  EXPECT_TRUE(ended.completed) << ended.how;
}

}  // namespace
}  // namespace pto2::stress
