#include "stress/noise.hpp"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <vector>

#include "stress/hang_guard.hpp"

namespace {

std::atomic<bool> pinning_is_refused{false};

}  // namespace

/// In the place of the system's, which refuses nothing that this process may ask for.
extern "C" int sched_setaffinity(pid_t thread, std::size_t size, const cpu_set_t* set) noexcept {
  if (!pinning_is_refused) {
    return static_cast<int>(syscall(SYS_sched_setaffinity, thread, size, set));
  }
  errno = EPERM;
  return -1;
}

namespace pto2::stress {
namespace {

/// Under the noise, a thread that does nothing but look must come to see what it waits for.
void expect_to_see(NoiseKind kind, const std::function<bool()>& see) {
  const HangGuard guard("noise of one kind");
  const Noise noise({kind}, 1);
  std::atomic<uint64_t> looks{0};  // TSan hands signals over at accesses to atomics
  std::thread([&] {
    while (!see()) looks.fetch_add(1);
  }).join();
  if (kind == NoiseKind::crowd) {
    EXPECT_EQ(noise.disturbed(), 0U);
    return;
  }
  // It is counted after it is seen.
  while (noise.disturbed() == 0) std::this_thread::yield();
}

int processors_of(pid_t thread) {
  cpu_set_t set;
  return sched_getaffinity(thread, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 0;
}

TEST(Noise, NamesAreReadAndWritten) {
  using enum NoiseKind;
  EXPECT_EQ(noise_named("crowd,yields"), (std::vector{yields, crowd}));
  EXPECT_EQ(noise_named("delays,delays"), (std::vector{delays}));
  EXPECT_EQ(noise_named("all").size(), 5U);
  EXPECT_TRUE(noise_named("none").empty());
  for (const char* list : {"all", "none", "yields,crowd", "pinning,priorities"}) {
    EXPECT_EQ(noise_text(noise_named(list)), list);
  }
  for (const char* list : {"", "loud", "yields,", "yields crowd", ",", "none,yields"}) {
    EXPECT_THROW((void)noise_named(list), std::invalid_argument) << list;
  }
}

TEST(Noise, DelaysStopAThreadThatOnlyWorks) {
  expect_to_see(NoiseKind::delays, [] {
    rusage usage{};
    getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_nvcsw >= 20;  // it slept
  });
}

/// What a signal reaches does not sleep to the end.
TEST(Noise, YieldsReachAThread) {
  expect_to_see(NoiseKind::yields, [woken = 0]() mutable {
    const timespec time{0, 1'000'000};
    if (nanosleep(&time, nullptr) != 0 && errno == EINTR) ++woken;
    return woken == 20;
  });
}

/// Whoever sleeps gives up the processor by itself. About half of the signals are for the thread.
TEST(Noise, YieldsAreNoDelays) {
  if (test_slowdown() != 1) GTEST_SKIP() << "a sanitizer has threads sleep";
  const HangGuard guard("yields");
  const Noise noise({NoiseKind::yields}, 1);
  rusage usage{};
  std::thread([&] {
    while (noise.disturbed() < 200) {
    }
    getrusage(RUSAGE_THREAD, &usage);
  }).join();
  EXPECT_LT(usage.ru_nvcsw, 20);
}

TEST(Noise, PinningThatIsRefusedIsNotCounted) {
  if (test_slowdown() != 1) GTEST_SKIP() << "a sanitizer has a thread of its own";
  pinning_is_refused = true;
  std::atomic<bool> over{false};
  std::thread other([&] { over.wait(false); });
  {
    const Noise noise({NoiseKind::pinning}, 1);
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    EXPECT_EQ(noise.disturbed(), 0U);
  }
  over = true;
  over.notify_one();
  other.join();
  pinning_is_refused = false;
}

TEST(Noise, WhatIsLeftAsItIsIsNotCounted) {
  if (test_slowdown() != 1) GTEST_SKIP() << "a sanitizer has a thread of its own";
  const Noise noise({NoiseKind::priorities, NoiseKind::pinning}, 1);
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  EXPECT_EQ(noise.disturbed(), 0U) << "there is the first thread alone";
}

TEST(Noise, PinningLeavesOneProcessorToOthersThanTheFirstThread) {
  const int before = processors_of(getpid());
  expect_to_see(NoiseKind::pinning, [] { return processors_of(0) == 1; });
  EXPECT_EQ(processors_of(getpid()), before);
}

int nice_of(pid_t thread) {
  return getpriority(PRIO_PROCESS, static_cast<id_t>(thread));
}

/// In a process that begins with a nice value of 15, or whatever larger one it has. A thread sees
/// its own until it was another a few times, if there is another: 20 times in all.
void look_at_priorities() {
  const int base = std::max(nice_of(getpid()), 15);
  setpriority(PRIO_PROCESS, static_cast<id_t>(getpid()), base);
  int least = base;
  int most = base;
  {
    const Noise noise({NoiseKind::priorities}, 1);
    std::thread([&] {
      while (noise.disturbed() < 20 || most == std::min(base, 18)) {
        const int own = nice_of(static_cast<pid_t>(syscall(SYS_gettid)));
        least = std::min(least, own);
        most = std::max(most, own);
      }
    }).join();
  }
  std::fprintf(stderr, "from %d to %d, beside %d\n", least - base, most, nice_of(getpid()) - base);
  std::_Exit(0);
}

TEST(Noise, PrioritiesOfOtherThreadsAreNoHigherThanThatOfTheFirst) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // or the first thread is another's
  EXPECT_EXIT(look_at_priorities(), testing::ExitedWithCode(0), "from 0 to 1[5-9], beside 0");
}

/// There is none that is lower than 19.
TEST(Noise, PrioritiesAreThoseOfOtherThreads) {
  const int before = nice_of(getpid());
  expect_to_see(NoiseKind::priorities, [&] {
    return before == 19 || nice_of(static_cast<pid_t>(syscall(SYS_gettid))) > before;
  });
  EXPECT_EQ(nice_of(getpid()), before);
}

TEST(Noise, TheCrowdIsLargerThanTheMachineAndGoesAway) {
  const auto threads = [] {
    const std::filesystem::directory_iterator tasks("/proc/self/task");
    return std::distance(begin(tasks), end(tasks));
  };
  const auto before = threads();
  const int machine = processors_of(0);
  expect_to_see(NoiseKind::crowd, [&] { return threads() >= before + 2 * machine; });
  EXPECT_EQ(threads(), before);
}

/// There is room for the stack of one.
void start_threads_in_little_memory() {
  pthread_attr_t usual;
  std::size_t stack = 0;
  pthread_getattr_default_np(&usual);
  pthread_attr_getstacksize(&usual, &stack);
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const rlim_t room = pages * static_cast<std::size_t>(getpagesize()) + stack + stack / 2;
  const rlimit limit{room, room};
  setrlimit(RLIMIT_AS, &limit);
  try {
    const Noise noise(noise_named("all"), 1);
  } catch (const std::system_error&) {
    std::_Exit(7);
  }
  std::_Exit(8);
}

TEST(Noise, AThreadThatTheSystemRefusesIsThrown) {
  if (test_slowdown() != 1) GTEST_SKIP() << "a sanitizer needs more than a limit would leave";
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // or stacks of earlier threads are used again
  EXPECT_EXIT(start_threads_in_little_memory(), testing::ExitedWithCode(7), "");
}

}  // namespace
}  // namespace pto2::stress
