#include "stress/stressing/isolated.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <stdexcept>

namespace pto2::stress {
namespace {

using namespace std::chrono_literals;

Ended run(const std::function<std::string()>& work, std::chrono::nanoseconds limit = 60s) {
  PendingSignals signals;
  return run_isolated(
      work, [] {}, limit, signals);
}

TEST(Isolated, ReturnsWhatTheWorkReturned) {
  const std::string long_text(1 << 20, 'x');
  const Ended ended = run([&] { return long_text; });
  EXPECT_TRUE(ended.completed);
  EXPECT_FALSE(ended.stopped);
  EXPECT_EQ(ended.result, long_text);
  EXPECT_EQ(ended.errors, "");
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
      50ms);
  EXPECT_TRUE(ended.stopped);
  EXPECT_FALSE(ended.completed);
}

TEST(Isolated, IsKilledByASignalToTheCaller) {
  PendingSignals signals;
  EXPECT_FALSE(signals.look());
  EXPECT_EQ(signals.exit_code(), std::nullopt);
  const Ended ended = run_isolated(
      []() -> std::string {
        for (;;) pause();
      },
      [] { kill(getpid(), SIGTERM); }, 60s, signals);
  EXPECT_TRUE(ended.stopped);
  EXPECT_EQ(signals.exit_code(), cli::exit_terminated);
}

TEST(Isolated, AForkBlocksNoSignals) {
  const Ended ended = run([]() -> std::string {
    std::signal(SIGTERM, SIG_DFL);  // whatever this program was started with
    raise(SIGTERM);
    return "went on";
  });
  EXPECT_EQ(ended.how, "SIGTERM");
}

TEST(SharedWithForks, IsZeroAndSeenByBoth) {
  const SharedWithForks<std::atomic<uint64_t>> number;
  EXPECT_EQ(number->load(), 0U);
  ASSERT_TRUE(run([&] {
                number->store(7);
                return std::string();
              }).completed);
  EXPECT_EQ(number->load(), 7U);
}

}  // namespace
}  // namespace pto2::stress
