#include "runtime/output/interruption.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <string>
#include <thread>

#include "runtime/output/stderr_text.hpp"
#include "tests/support/full_stderr.hpp"
#include "tests/support/usual_signals.hpp"

namespace pto2::cli {
namespace {

using namespace std::chrono_literals;

/// For a process of its own, which hangs no longer than this.
void begin() {
  test::have_usual_signals();
  alarm(20);
}

TEST(InterruptionDeathTest, ASignalEndsWhatHasNothingToSave) {
  const auto interrupted_by = [](int signal) {
    begin();
    const Interruption interruption(Interruption::First::ends);
    kill(getpid(), signal);
    pause();
  };
  EXPECT_EXIT(interrupted_by(SIGINT), testing::ExitedWithCode(130), "pto2: interrupted");
  EXPECT_EXIT(interrupted_by(SIGTERM), testing::ExitedWithCode(143), "pto2: terminated");
}

TEST(InterruptionDeathTest, WaitsForNobodyWhoReadsStderr) {
  const auto terminated = [](Interruption::First first) {
    begin();
    test::fill_stderr();
    const Interruption interruption(first);
    kill(getpid(), SIGTERM);
    while (!interruption.stop().stop_requested()) std::this_thread::sleep_for(1ms);
    if (interruption.exit_code() != exit_terminated) _exit(1);
    std::this_thread::sleep_for(Interruption::same + 100ms);
    kill(getpid(), SIGTERM);
    pause();
  };
  EXPECT_EXIT(terminated(Interruption::First::requests_stop), testing::ExitedWithCode(143), "");
  EXPECT_EXIT(terminated(Interruption::First::ends), testing::ExitedWithCode(143), "");
}

TEST(StderrTextDeathTest, WaitsForNoRoomThatALongTextNeeds) {
  const auto told = [] {
    begin();
    std::array<char, 4096> some{};
    (void)!read(test::fill_stderr(), some.data(), some.size());
    write_to_stderr_at_once(std::string(3 * some.size(), 'x'));
    _exit(0);
  };
  EXPECT_EXIT(told(), testing::ExitedWithCode(0), "");
}

TEST(StderrTextDeathTest, WaitsForNobodyWhoReadsASocket) {
  const auto told = [] {
    begin();
    std::array<int, 2> ends{};
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) != 0) _exit(1);
    test::fill(ends[1]);
    dup2(ends[1], STDERR_FILENO);
    write_to_stderr_at_once("x");
    _exit(0);
  };
  EXPECT_EXIT(told(), testing::ExitedWithCode(0), "");
}

TEST(StderrTextDeathTest, GoesToSockets) {
  const auto told = [] {
    begin();
    std::array<int, 2> ends{};
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) != 0) _exit(1);
    dup2(ends[1], STDERR_FILENO);
    write_to_stderr_at_once("x");
    char text = 0;
    _exit(recv(ends[0], &text, 1, MSG_DONTWAIT) == 1 && text == 'x' ? 0 : 1);
  };
  EXPECT_EXIT(told(), testing::ExitedWithCode(0), "");
}

/// Also where it is not appended.
TEST(StderrTextDeathTest, StandsInAFileBetweenOthers) {
  const auto told = [] {
    begin();
    dup2(fileno(std::tmpfile()), STDERR_FILENO);
    print_to_stderr("one ");
    write_to_stderr_at_once("two ");
    print_to_stderr("three");
    std::array<char, 20> text{};
    (void)!pread(STDERR_FILENO, text.data(), text.size() - 1, 0);
    _exit(std::string(text.data()) == "one two three" ? 0 : 1);
  };
  EXPECT_EXIT(told(), testing::ExitedWithCode(0), "");
}

/// As a shell ignores SIGINT for a program that it starts in the background.
TEST(InterruptionDeathTest, HearsNoSignalThatIsIgnored) {
  const auto told_twice = [](int ignored, int signal) {
    begin();
    std::signal(ignored, SIG_IGN);
    const Interruption interruption(Interruption::First::ends);
    kill(getpid(), ignored);
    std::this_thread::sleep_for(100ms);
    kill(getpid(), signal);
    pause();
  };
  EXPECT_EXIT(told_twice(SIGINT, SIGTERM), testing::ExitedWithCode(143), "pto2: terminated");
  EXPECT_EXIT(told_twice(SIGTERM, SIGINT), testing::ExitedWithCode(130), "pto2: interrupted");
}

TEST(InterruptionDeathTest, IsOverWhereBothAreIgnored) {
  const auto ignoring = [] {
    begin();
    for (const int signal : {SIGINT, SIGTERM}) std::signal(signal, SIG_IGN);
    {
      const Interruption interruption(Interruption::First::requests_stop);
      for (const int signal : {SIGINT, SIGTERM}) kill(getpid(), signal);
      std::this_thread::sleep_for(100ms);
      if (interruption.exit_code()) _exit(1);
    }
    _exit(0);
  };
  EXPECT_EXIT(ignoring(), testing::ExitedWithCode(0), "");
}

TEST(Interruption, IsOverWithItsObject) {
  sigset_t before, after;
  pthread_sigmask(SIG_BLOCK, nullptr, &before);
  {
    const Interruption interruption(Interruption::First::requests_stop);
    EXPECT_FALSE(interruption.exit_code());
    EXPECT_FALSE(interruption.stop().stop_requested());
  }
  pthread_sigmask(SIG_BLOCK, nullptr, &after);
  for (const int signal : {SIGINT, SIGTERM}) {
    EXPECT_EQ(sigismember(&before, signal), sigismember(&after, signal));
  }
}

}  // namespace
}  // namespace pto2::cli
