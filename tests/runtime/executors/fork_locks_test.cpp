#include "runtime/executors/fork_locks.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "runtime/executors/image_names.hpp"
#include "runtime/executors/kept_memory.hpp"
#include "runtime/executors/kept_queues.hpp"
#include "runtime/executors/running_teams.hpp"
#include "runtime/executors/sanitizer_switch.hpp"
#include "runtime/executors/shared_ticker.hpp"
#include "runtime/executors/team.hpp"

namespace pto2::executors {
namespace {

/// The exit code of a child that returns what body() does.
int code_of_child(const std::function<int()>& body) {
  const pid_t child = fork();
  if (child == 0) _exit(body());
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

bool has_begun_anew = false;

std::mutex& lock_of_forks() {
  static auto* const lock = [] {
    auto* const made = new std::mutex;
    keep_from_forks(*made, [] { has_begun_anew = true; });
    return made;
  }();
  return *lock;
}

TEST(ForkLocks, AreFreeInTheChild) {
  std::mutex& lock = lock_of_forks();
  std::atomic<bool> is_held{false};
  const std::jthread holder([&] {
    const std::lock_guard held(lock);
    is_held = true;
    is_held.notify_one();
    std::this_thread::sleep_for(std::chrono::milliseconds(50));  // else the fork comes too late
  });
  is_held.wait(false);
  const int code = code_of_child([&] { return has_begun_anew && lock.try_lock() ? 0 : 1; });
  EXPECT_EQ(code, 0);
  EXPECT_FALSE(has_begun_anew);
  EXPECT_TRUE(lock.try_lock());
  lock.unlock();
}

std::vector<char> taken_in_child;

/// Whatever the order in which they are made.
TEST(ForkLocks, AreTakenByRank) {
  static std::atomic_flag last, last_but_one;
  static std::mutex first;
  keep_from_forks(last, ForkRank::image_names, [] { taken_in_child.push_back('c'); });
  keep_from_forks(last_but_one, ForkRank::crash_guards, [] { taken_in_child.push_back('b'); });
  keep_from_forks(first, [] { taken_in_child.push_back('a'); });
  EXPECT_EQ(code_of_child([] { return taken_in_child == std::vector{'a', 'b', 'c'} ? 0 : 1; }), 0);
}

/// What takes a lock: over and over by another thread, while children begin that do the same.
void expect_free_in_children(const std::function<void()>& work) {
  work();  // what it makes the first time is there
  std::atomic<bool> is_over{false};
  const std::jthread other([&] {
    while (!is_over) work();
  });
  const auto once = [&] {
    alarm(10);
    work();
    return 0;
  };
  const int children = PTO2_UNDER_TSAN != 0 ? 20 : 100;  // of which each copies TSan's memory
  for (int i = 0; i < children && !testing::Test::HasFailure(); ++i) {
    EXPECT_EQ(code_of_child(once), 0);
  }
  is_over = true;
}

/// It keeps nothing of theirs.
struct NoQueue {
  [[nodiscard]] static std::size_t capacity() { return 0; }
  [[nodiscard]] static bool empty() { return true; }
};

TEST(ForkLocks, AreThoseOfWhatIsKeptBetweenRuns) {
  expect_free_in_children([] { (void)KeptMemory::of_process().blocks(); });
  expect_free_in_children([] { (void)KeptQueues<NoQueue>::of_process().entries(); });
  expect_free_in_children([] { (void)describe_running_teams(); });
  expect_free_in_children([] { (void)ImageName::path_of(nullptr); });
}

/// Else a child that begins beside the first use of one waits for ever for who makes it.
TEST(ForkLocks, AreAllThereFromTheStart) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // a process in which no other test has run
  const auto run_all = [] {
    const std::size_t at_start = locks_around_forks();
    (void)KeptMemory::of_process().blocks();
    (void)KeptQueues<NoQueue>::of_process().entries();
    (void)describe_running_teams();
    const SharedTicker ticker([] {});
    _exit(locks_around_forks() == at_start && at_start >= 4 ? 0 : 1);
  };
  EXPECT_EXIT(run_all(), testing::ExitedWithCode(0), "");
}

/// They are of threads that are not in the child.
TEST(ForkLocks, AChildHasNoTeamsOfOthers) {
  const Team team({.executor = Executor::packed, .host_threads = 1});
  const RunningTeam runs(team);
  EXPECT_EQ(code_of_child([] { return describe_running_teams() == "no team runs\n" ? 0 : 1; }), 0);
  EXPECT_NE(describe_running_teams(), "no team runs\n");
}

/// Its thread is not in the child.
TEST(ForkLocks, AChildHasItsOwnTicks) {
  if (PTO2_UNDER_TSAN != 0) GTEST_SKIP() << "a child of several threads may start none there";
  const SharedTicker of_the_parent([] {});
  const auto ticks = [] {
    std::mutex mutex;
    std::condition_variable ticked;
    bool has_ticked = false;
    const SharedTicker ticker([&] {
      const std::lock_guard lock(mutex);
      has_ticked = true;
      ticked.notify_one();
    });
    std::unique_lock lock(mutex);
    return ticked.wait_for(lock, std::chrono::seconds(20), [&] { return has_ticked; }) ? 0 : 1;
  };
  EXPECT_EQ(code_of_child(ticks), 0);
}

}  // namespace
}  // namespace pto2::executors
