// Loops that wait without saying so. Each search ends: with what the same program has that waits,
// or with the loop's place where it cannot be shown that a turn changes nothing.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <pto2/checker.hpp>
#include <string>
#include <thread>
#include <vector>

#include "tests/models/checker/expectations.hpp"

namespace pto2::model {
namespace {

using enum std::memory_order;

/// Waits for a flag in one way or the other.
void spin(atomic<int>& flag, int value) {
  while (flag.load(acquire) != value) {
  }
}
void wait(atomic<int>& flag, int value) {
  await([&] { return flag.load(acquire) == value; });
}
using Wait = void (*)(atomic<int>& flag, int value);

/// The search ends, without a verdict, and says where the program spins and what to do.
void expect_named(const std::function<void()>& body) {
  Options options;
  options.spin_limit = 100;
  const Report report = explore(options, body);
  EXPECT_EQ(report.verdict, Verdict::inconclusive) << report.to_text();
  EXPECT_NE(report.reason.find("spins at spinning_test.cpp:"), std::string::npos) << report.reason;
  EXPECT_NE(report.reason.find("await or idle"), std::string::npos) << report.reason;
}

void pass_message(Wait wait_for, std::memory_order publish) {
  atomic<int> flag{0, "flag"};
  cell<int> data{0, "data"};
  thread producer([&] {
    data.write(7);
    flag.store(1, publish);
  });
  wait_for(flag, 1);
  check(data.read() == 7, "message seen");
  producer.join();
}

TEST(Spinning, ends_when_somebody_sets_the_flag) {
  expect_pass([] { pass_message(spin, release); });
  Options jobs;
  jobs.jobs = 2;
  expect_pass(jobs, [] { pass_message(spin, release); });
  for (const Strategy strategy : {Strategy::random_walk, Strategy::pct, Strategy::bursts}) {
    Options options;
    options.strategy = strategy;
    const Report report = explore(options, [] { pass_message(spin, release); });
    EXPECT_FALSE(report.violation) << report.to_text();
    EXPECT_EQ(report.executions, options.samples) << report.to_text();
  }
}

TEST(Spinning, violations_behind_a_loop_are_found) {
  const Report report =
      expect_violation(ViolationKind::data_race, [] { pass_message(spin, relaxed); });
  EXPECT_NE(report.to_text().find("spinning_test.cpp:"), std::string::npos) << report.to_text();
}

TEST(Spinning, for_ever_is_a_deadlock) {
  const Report report = expect_violation(ViolationKind::deadlock, [] {
    atomic<int> flag{0, "flag"};
    thread other([&] { flag.store(2, release); });
    spin(flag, 1);
    other.join();
  });
  ASSERT_TRUE(report.violation);
  EXPECT_NE(report.violation->message.find("main at spinning_test.cpp:"), std::string::npos)
      << report.to_text();
  expect_violation(ViolationKind::deadlock, [] {
    atomic<int> x{0, "x"}, y{0, "y"};
    while (x.load(relaxed) == 0 && y.load(relaxed) == 0) fence(acquire);
  });
}

/// Three threads take turns.
void in_turn(Wait wait_for) {
  atomic<int> turn{0, "turn"};
  cell<int> last{-1};
  std::vector<thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&, i] {
      wait_for(turn, i);
      check(last.read() == i - 1, "in turn");
      last.write(i);
      turn.store(i + 1, release);
    });
  }
  for (thread& t : threads) t.join();
}

TEST(Spinning, several_threads_at_once) {
  expect_pass([] { in_turn(wait); });
  expect_pass([] { in_turn(spin); });
}

TEST(Spinning, over_several_places) {
  expect_pass([] {
    atomic<int> x{0, "x"}, y{0, "y"};
    thread setter([&] { y.store(1, release); });
    while (x.load(relaxed) == 0 && y.load(relaxed) == 0) fence(acquire);
    setter.join();
  });
}

/// A lock that is taken by compare-exchange, and looked at first or not.
void count_under_lock(bool looks_first) {
  atomic<int> lock{0, "lock"};
  cell<int> count{0};
  const auto add = [&] {
    for (;;) {
      if (looks_first) spin(lock, 0);
      int expected = 0;
      if (lock.compare_exchange_strong(expected, 1, acquire, relaxed)) break;
    }
    count.write(count.read() + 1);
    lock.store(0, release);
  };
  thread first(add);
  thread second(add);
  first.join();
  second.join();
  check(count.read() == 2, "both counted");
}

TEST(Spinning, until_an_update_succeeds) {
  expect_pass([] { count_under_lock(false); });
  expect_pass([] { count_under_lock(true); });
}

/// A loop that gives up by itself is none that spins: each of its turns counts.
TEST(Spinning, not_when_turns_are_counted) {
  const auto tries = [](int limit) {
    return [limit] {
      atomic<int> flag{0, "flag"};
      thread setter([&] { flag.store(1, release); });
      int turn = 0;
      while (turn < limit && flag.load(acquire) == 0) ++turn;
      sometimes("gives up", turn == limit);
      setter.join();
    };
  };
  for (const int limit : {1, 3, 10}) {
    const Report report = explore({}, tries(limit));
    EXPECT_TRUE(report.ok()) << report.to_text();
    EXPECT_EQ(report.executions, static_cast<std::uint64_t>(limit) + 1);
  }
}

/// One place, of several loops.
int look(atomic<int>& x) {
  return x.load(acquire);
}

/// The same by an update.
int try_to_take(atomic<int>& x) {
  int expected = 1;
  return x.compare_exchange_strong(expected, 2, acquire, relaxed) ? 1 : 0;
}
using Look = int (*)(atomic<int>& x);

/// Lets the search see that there are loops through `once` which wait.
void spin_through(Look once) {
  expect_pass([once] {
    atomic<int> flag{0, "flag"};
    thread setter([&] { flag.store(1, release); });
    while (once(flag) == 0) {
    }
    setter.join();
  });
}
void spin_at_look() {
  spin_through(look);
}

/// A loop of five turns at most, counted in memory that `make` returns.
template <class Make>
void expect_counted_turns(Look once, Make&& make) {
  const auto body = [&](bool checks) {
    const auto turns = make();
    *turns = 0;
    atomic<int> flag{0, "flag"};
    const auto count = [&] {
      while (*turns < 5 && once(flag) == 0) ++*turns;
    };
    thread first(checks ? std::function<void()>(count) : [&] { flag.store(1, release); });
    checks ? flag.store(1, release) : count();
    first.join();
    if (checks) check(*turns < 5, "the flag comes in time");
  };
  const Report report = explore({}, [&] { body(false); });
  EXPECT_TRUE(report.ok()) << report.to_text();
  EXPECT_EQ(report.executions, 6U);
  expect_violation(ViolationKind::check_failed, [&] { body(true); });
}

TEST(Spinning, a_known_place_may_be_part_of_a_loop_that_counts) {
  spin_at_look();
  static int global = 0;
  int of_explorer = 0;
  expect_counted_turns(look, [&] { return &global; });
  expect_counted_turns(look, [&] { return &of_explorer; });
  expect_counted_turns(look, [] { return std::make_unique<int>(); });
  spin_through(try_to_take);
  expect_counted_turns(try_to_take, [&] { return &of_explorer; });
  // In what the thread's function has captured.
  const Report captured = explore({}, [] {
    atomic<int> flag{0, "flag"};
    thread looker([&flag, turns = 0]() mutable {
      while (turns < 5 && look(flag) == 0) ++turns;
    });
    flag.store(1, release);
    looker.join();
  });
  EXPECT_EQ(captured.executions, 6U) << captured.to_text();
}

/// One thread spins, and another one counts its turns in main's memory before it ends that.
TEST(Spinning, a_place_may_be_part_of_both_kinds_of_loop) {
  expect_pass([] {
    atomic<int> flag{0, "flag"}, never{0, "never"};
    int turns = 0;
    thread spinner([&] {
      while (look(flag) == 0) {
      }
    });
    thread counter([&] {
      while (turns < 100 && look(never) == 0) ++turns;
      flag.store(1, release);
    });
    spinner.join();
    counter.join();
    check(turns == 100, "all turns");
  });
}

TEST(Spinning, not_when_a_turn_starts_a_thread) {
  spin_at_look();
  expect_pass([] {
    atomic<int> sum{0, "sum"};
    while (look(sum) < 4) {
      thread adder([&] { sum.fetch_add(1, release); });
      adder.join();
    }
  });
}

template <class Object>
[[gnu::noinline]] void create_and_destroy() {
  const Object object{0};
}

/// Atomics are told apart by how many their thread has created before; cells are not.
template <class Object>
void create_in_turns() {
  atomic<int> flag{0, "flag"};
  thread setter([&] { flag.store(1, release); });
  while (look(flag) == 0) create_and_destroy<Object>();
  atomic<int> after{0};
  thread writer([&] { after.store(1, relaxed); });
  after.load(relaxed);
  writer.join();
  setter.join();
}

TEST(Spinning, not_when_a_turn_creates_an_atomic) {
  spin_at_look();
  expect_named(create_in_turns<atomic<int>>);
  expect_pass(create_in_turns<cell<int>>);
}

/// What others do meanwhile is none of a turn's business, nor what a turn undoes.
TEST(Spinning, although_memory_changes) {
  expect_pass([] {
    atomic<int> x{0, "x"}, y{0, "y"};
    int looking = 0, results[3] = {};
    const auto spin_at = [&](atomic<int>& flag) {
      ++looking;
      const int seen = look(flag);
      --looking;
      return seen == 0;
    };
    thread spinner([&] {
      while (spin_at(x) || spin_at(y)) {
      }
    });
    thread first([&] {
      results[0] = look(y);
      x.store(1, release);
      results[1] = 1;
    });
    thread second([&] {
      results[2] = 1;
      y.store(1, release);
    });
    spinner.join();
    first.join();
    second.join();
    check(looking == 0 && results[1] + results[2] == 2, "all is done");
  });
}

TEST(Spinning, although_memory_changes_in_front_of_a_fence) {
  spin_at_look();
  expect_pass([] {
    atomic<int> x{0, "x"}, y{0, "y"};
    int results[3] = {};
    thread spinner([&] {
      while (look(x) == 0) fence(acquire);
    });
    thread first([&] {
      results[0] = y.load(relaxed);
      x.store(0, relaxed);
      results[1] = y.load(relaxed) + 1;
      x.store(1, release);
    });
    thread second([&] {
      y.store(1, relaxed);
      results[2] = 1;
      y.store(2, relaxed);
    });
    for (thread* t : {&spinner, &first, &second}) t->join();
    check(results[1] > results[0] && results[2] == 1, "all is done");
  });
}

TEST(Spinning, is_named_when_a_turn_may_change_something) {
  expect_named([] {
    atomic<int> flag{0, "flag"};
    thread setter([&] { flag.store(1, release); });
    for (volatile int turns = 0; flag.load(acquire) == 0;) turns = turns + 1;
    setter.join();
  });
}

/// The search begins anew once it has found the loop, but its time does not.
void expect_late(Options options, Wait wait_for) {
  options.max_seconds = 0.2;
  options.samples = 300;  // the clock is looked at after 256
  std::atomic<int> runs = 0;
  const Report report = explore(options, [&] {
    const bool is_first = runs++ == 0;
    if (is_first) std::this_thread::sleep_for(std::chrono::milliseconds(300));
    atomic<int> flag{0, "flag"}, sum{0, "sum"};
    std::vector<thread> adders;
    for (int i = 0; i < 6; ++i) adders.emplace_back([&] { sum.fetch_add(1, relaxed); });
    // Or a walk might not find the loop in its first execution.
    thread setter([&] {
      if (!is_first) flag.store(1, release);
    });
    wait_for(flag, 1);
    setter.join();
    for (thread& adder : adders) adder.join();
  });
  EXPECT_EQ(report.reason, "the time limit was reached") << report.to_text();
}

TEST(Spinning, time_counts_from_the_first_search_on) {
  Options options;
  expect_late(options, [](atomic<int>& flag, int value) {
    while (flag.load(acquire) != value) {
    }
  });
  options.jobs = 2;
  expect_late(options, [](atomic<int>& flag, int value) {
    while (flag.load(acquire) != value) {
    }
  });
  options.strategy = Strategy::random_walk;
  expect_late(options, [](atomic<int>& flag, int value) {
    while (flag.load(acquire) != value) {
    }
  });
}

int turns_in_a_global = 0;

/// A thread counts its turns in memory of somebody else.
void count_turns(int& turns) {
  atomic<int> flag{0, "flag"};
  thread spinner([&] {
    while (flag.load(acquire) == 0) ++turns;
  });
  flag.store(1, release);
  spinner.join();
}

/// Nobody else can end such a loop, but it ends itself.
TEST(Spinning, is_named_when_it_may_give_up) {
  const auto look_often = [](atomic<int>& x) {
    for (int turn = 0; turn < 3'000; ++turn) {
      if (x.load(relaxed) != 0) break;
    }
  };
  expect_named([&] {
    atomic<int> x{0, "x"};
    look_often(x);
  });
  expect_named([&] {
    atomic<int> x{0, "x"};
    thread looker([&] { look_often(x); });
    looker.join();
  });
}

TEST(Spinning, is_named_when_it_counts_elsewhere) {
  expect_named([] {
    int turns = 0;  // of main
    count_turns(turns);
  });
  expect_named([] {
    const auto turns = std::make_unique<int>(0);
    count_turns(*turns);
  });
  expect_named([] { count_turns(turns_in_a_global); });
  int turns = 0;  // of whoever explores
  expect_named([&] { count_turns(turns); });
}

TEST(Spinning, with_updates_that_change_nothing_is_named) {
  for (const int threads : {2, 3}) {
    expect_named([threads] {
      atomic<int> lock{0, "lock"};
      std::vector<thread> all;
      for (int i = 0; i < threads; ++i) {
        all.emplace_back([&] {
          while (lock.exchange(1, acquire) == 1) {
          }
          lock.store(0, release);
        });
      }
      for (thread& t : all) t.join();
    });
  }
}

}  // namespace
}  // namespace pto2::model
