#include "runtime/executors/ticker.hpp"

#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <iterator>
#include <new>
#include <system_error>
#include <thread>

#include "runtime/executors/sanitizer_switch.hpp"
#include "runtime/executors/shared_ticker.hpp"

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

/// Nobody else could see what its thread throws, and the process would end.
TEST(Ticker, ATickWithoutMemoryIsNotTheLast) {
  std::atomic<uint32_t> ticks{0};
  const Ticker ticker(1ms, [&] {
    if (++ticks < 3) throw std::bad_alloc();
  });
  for (int wait = 0; wait < 10'000 && ticks.load() < 4; ++wait) std::this_thread::sleep_for(1ms);
  EXPECT_GE(ticks.load(), 4u);
}

TEST(SharedTicker, ATickWithoutMemoryIsNoneOfTheOthers) {
  std::atomic<uint32_t> ticks{0};
  const SharedTicker lacking([] { throw std::bad_alloc(); });
  const SharedTicker other([&] { ++ticks; });
  for (int wait = 0; wait < 10'000 && ticks == 0; ++wait) std::this_thread::sleep_for(1ms);
  EXPECT_GE(ticks, 1U);
}

/// And not before, and not afterwards.
TEST(SharedTicker, TicksForEachUntilItsEnd) {
  for (int round = 0; round < 2; ++round) {
    std::atomic<uint32_t> first{0};
    std::atomic<uint32_t> second{0};
    const SharedTicker standing([&] { ++first; });
    {
      const SharedTicker other([&] { ++second; });
      for (int wait = 0; wait < 10'000 && second == 0; ++wait) std::this_thread::sleep_for(1ms);
      EXPECT_GE(second, 1u);
    }
    const uint32_t in_the_end = second;
    const uint32_t before = first;
    for (int wait = 0; wait < 10'000 && first < before + 2; ++wait) {
      std::this_thread::sleep_for(1ms);
    }
    EXPECT_GE(first, before + 2);
    EXPECT_EQ(second, in_the_end);
  }
}

auto threads_now() {
  const std::filesystem::directory_iterator begin("/proc/self/task");
  return std::distance(begin, std::filesystem::directory_iterator());
}

/// The one that tests, and TSan's own, which comes with the first thread.
constexpr int usual_threads = 1 + PTO2_UNDER_TSAN;

/// One that was joined is listed for a moment yet.
bool is_alone_in_the_end() {
  for (int wait = 0; wait < 3000 && threads_now() > usual_threads; ++wait) {
    std::this_thread::sleep_for(1ms);
  }
  return threads_now() <= usual_threads;
}

/// One for all, and none when all are over.
TEST(SharedTicker, HasOneThread) {
  ASSERT_TRUE(is_alone_in_the_end());
  {
    const SharedTicker standing([] {});
    for (int i = 0; i < 100; ++i) {
      const SharedTicker other([] {});
      ASSERT_EQ(threads_now(), usual_threads + 1);
    }
  }
  EXPECT_TRUE(is_alone_in_the_end());
}

/// No thread gets a stack. Who was refused is not among those who keep the next one.
TEST(SharedTicker, IsNotThereIfTheSystemRefusesItsThread) {
  pthread_attr_t usual;
  pthread_getattr_default_np(&usual);
  pthread_attr_t impossible;
  pthread_attr_init(&impossible);
  ASSERT_EQ(pthread_attr_setstacksize(&impossible, std::size_t{1} << 60), 0);
  ASSERT_EQ(pthread_setattr_default_np(&impossible), 0);
  EXPECT_THROW(SharedTicker([] {}), std::system_error);
  pthread_setattr_default_np(&usual);
  pthread_attr_destroy(&impossible);
  pthread_attr_destroy(&usual);
  {
    const SharedTicker next([] {});
  }
  EXPECT_TRUE(is_alone_in_the_end());
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

bool is_pending(int signal) {
  sigset_t pending;
  sigpending(&pending);
  return sigismember(&pending, signal) == 1;
}

/// A signal that the ticker's thread takes ends its sleep, and not its period. It has taken one
/// that nobody else may take and that is not pending any more. Whether the handler has run says
/// less: TSan puts that off until the thread calls a function that it knows, and sem_clockwait()
/// is none.
TEST(Ticker, ASignalIsNoTick) {
  struct sigaction nothing {};
  nothing.sa_handler = [](int) {};
  struct sigaction before {};
  sigaction(SIGUSR1, &nothing, &before);
  std::atomic<uint32_t> ticks{0};
  {
    const Ticker ticker(1h, [&] { ++ticks; });
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &one, nullptr);
    for (int sent = 0; sent < 20; ++sent) {
      std::this_thread::sleep_for(1ms);  // in which it falls asleep again
      kill(getpid(), SIGUSR1);
      while (is_pending(SIGUSR1)) std::this_thread::yield();
    }
    pthread_sigmask(SIG_UNBLOCK, &one, nullptr);
  }
  sigaction(SIGUSR1, &before, nullptr);
  EXPECT_EQ(ticks.load(), 0u);
}

}  // namespace
}  // namespace pto2::executors
