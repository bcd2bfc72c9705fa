#include "runtime/executors/ticker.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>

namespace pto2::executors {
namespace {

using namespace std::chrono_literals;

TEST(Ticker, TicksUntilItsEnd) {
  std::atomic<uint32_t> ticks{0};
  {
    const Ticker ticker(1ms, [&] { ++ticks; });
    for (int wait = 0; wait < 10'000 && ticks.load() < 3; ++wait) std::this_thread::sleep_for(1ms);
    EXPECT_GE(ticks.load(), 3u);
  }
  const uint32_t in_the_end = ticks.load();
  std::this_thread::sleep_for(5ms);
  EXPECT_EQ(ticks.load(), in_the_end);
}

TEST(Ticker, ItsEndIsNoTickAndWaitsForNone) {
  std::atomic<uint32_t> ticks{0};
  const auto begin = std::chrono::steady_clock::now();
  {
    const Ticker ticker(1h, [&] { ++ticks; });
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 1min);
  EXPECT_EQ(ticks.load(), 0u);
}

std::atomic<uint32_t> handled;

/// A signal that the ticker's thread takes ends its sleep, and not its period.
TEST(Ticker, ASignalIsNoTick) {
  handled = 0;
  struct sigaction count {};
  count.sa_handler = [](int) { ++handled; };
  struct sigaction before {};
  sigaction(SIGUSR1, &count, &before);
  std::atomic<uint32_t> ticks{0};
  {
    const Ticker ticker(1h, [&] { ++ticks; });
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &one, nullptr);
    for (uint32_t sent = 1; sent <= 100; ++sent) {
      kill(getpid(), SIGUSR1);
      while (handled.load() < sent) std::this_thread::yield();
    }
    pthread_sigmask(SIG_UNBLOCK, &one, nullptr);
  }
  sigaction(SIGUSR1, &before, nullptr);
  EXPECT_EQ(ticks.load(), 0u);
}

}  // namespace
}  // namespace pto2::executors
