// What a wait that has failed takes back out of the graph is its own: others' steps stay.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <memory>
#include <pto2/checker.hpp>
#include <vector>

#include "tests/models/checker/expectations.hpp"

namespace pto2::model {
namespace {

using enum std::memory_order;

constexpr std::array walks = {Strategy::random_walk, Strategy::pct, Strategy::bursts};
constexpr std::array every_strategy = {Strategy::exhaustive, Strategy::random_walk, Strategy::pct,
                                       Strategy::bursts};

/// The second thread wants a lock or to be told that it need not. While the exchange sees the lock
/// taken after all, the first one stores z.
void want_a_lock(const std::function<bool(atomic<int>& lock, atomic<int>& told)>& wants) {
  atomic<int> lock{0, "lock"}, begun{0, "begun"}, told{0, "told"}, z{0, "z"};
  std::vector<thread> all;
  all.emplace_back([&] {
    await([&] { return begun.load(acquire) == 1; });
    lock.store(1, relaxed);
    z.store(1, relaxed);
  });
  all.emplace_back([&] { await([&] { return wants(lock, told); }); });
  all.emplace_back([&] { begun.store(1, release); });
  all.emplace_back([&] { told.store(1, relaxed); });
  for (thread& t : all) t.join();
  check(z.load(relaxed) == 1, "z is stored");
}

TEST(TakenBack, a_predicate_that_fails_must_not_have_gone_on_behind_an_update) {
  const auto behind = [] {
    want_a_lock([](atomic<int>& lock, atomic<int>& told) {
      return lock.exchange(1, relaxed) == 0 || told.load(relaxed) == 1;
    });
  };
  const Report report = expect_violation(ViolationKind::misuse, behind);
  ASSERT_TRUE(report.violation);
  EXPECT_THAT(report.violation->message,
              testing::HasSubstr("gone on behind its update at taken_back_test.cpp:"));
  for (const Strategy strategy : walks) {
    Options options;
    options.strategy = strategy;
    expect_violation(ViolationKind::misuse, options, behind);
  }

  expect_pass([] {
    want_a_lock([](atomic<int>& lock, atomic<int>& told) {
      return told.load(relaxed) == 1 || lock.exchange(1, relaxed) == 0;
    });
  });
  expect_pass([] {
    want_a_lock([](atomic<int>& lock, atomic<int>& told) {
      return lock.fetch_add(1, relaxed) == 0 || told.load(relaxed) >= 0;
    });
  });
}

/// Both would wake each other for ever.
TEST(TakenBack, nor_do_two_such_predicates) {
  for (const Strategy strategy : {Strategy::exhaustive, Strategy::random_walk}) {
    Options options;
    options.strategy = strategy;
    expect_violation(ViolationKind::misuse, options, [] {
      atomic<int> x{0}, y{0};
      const auto wait = [&] {
        await([&] { return x.fetch_add(0, relaxed) == 1 || y.load(relaxed) == 1; });
      };
      thread one(wait);
      thread two(wait);
      one.join();
      two.join();
    });
  }
}

TEST(TakenBack, a_predicate_may_join_when_it_holds) {
  expect_pass([] {
    atomic<int> y{0, "y"}, z{0, "z"};
    thread other([&] {
      y.store(1, release);
      z.store(1, relaxed);
    });
    await([&] {
      if (y.load(acquire) == 0) return false;
      other.join();
      return true;
    });
    check(z.load(relaxed) == 1, "it has ended");
  });
  for (const Strategy strategy : {Strategy::exhaustive, Strategy::random_walk}) {
    Options options;
    options.strategy = strategy;
    expect_violation(ViolationKind::misuse, options, [] {
      atomic<int> y{0, "y"};
      thread other([&] { y.store(1, release); });
      thread setter([&] { y.store(2, release); });
      await([&] {
        if (other.joinable()) other.join();
        return y.load(acquire) == 3;
      });
      setter.join();
    });
  }
}

/// What the look of a polling loop uses.
struct Looked {
  atomic<int> x{0, "x"}, y{0, "y"};
  cell<int> data{1, "data"};
  thread other{[] {}};
  std::unique_ptr<cell<int>> kept;
};

/// A loop that `look` ends.
void poll_until(const std::function<bool(Looked&)>& look) {
  Looked all;
  thread setter([&] { all.y.store(1, release); });
  while (!idle([&] { return look(all); })) {
  }
  setter.join();
  if (all.other.joinable()) all.other.join();
}

/// Where the look is no wait it is refused as where it is one: a replay leads to what was found.
TEST(TakenBack, a_look_that_fails_is_told_of_by_all_strategies) {
  const auto expect_misuse = [](const char* message, const std::function<bool(Looked&)>& look) {
    for (const Strategy strategy : every_strategy) {
      Options options;
      options.strategy = strategy;
      const Report report =
          expect_violation(ViolationKind::misuse, options, [&] { poll_until(look); });
      ASSERT_TRUE(report.violation);
      EXPECT_THAT(report.violation->message, testing::HasSubstr(message));
    }
  };
  const auto finds_one = [](Looked& all) { return all.x.fetch_add(0, relaxed) == 1; };
  expect_misuse("gone on behind its update at taken_back_test.cpp:",
                [&](Looked& all) { return finds_one(all) || all.y.load(acquire) == 1; });
  expect_misuse("gone on behind its update",
                [&](Looked& all) { return finds_one(all) || all.data.read() == 2; });
  expect_misuse("has joined a thread at taken_back_test.cpp:", [](Looked& all) {
    if (all.other.joinable()) all.other.join();
    return all.y.load(acquire) == 2;
  });
  expect_misuse("has created an object at", [](Looked& all) {
    all.kept = std::make_unique<cell<int>>(0);
    return all.y.load(acquire) == 2;
  });
}

TEST(TakenBack, a_look_may_end_with_an_update_that_changes_nothing) {
  const auto expect_nothing = [](const std::function<bool(Looked&)>& look) {
    expect_pass([&] { poll_until(look); });
    for (const Strategy strategy : walks) {
      Options options;
      options.strategy = strategy;
      const Report report = explore(options, [&] { poll_until(look); });
      EXPECT_FALSE(report.violation) << report.to_text();
      EXPECT_EQ(report.executions, options.samples) << report.to_text();
    }
  };
  expect_nothing([](Looked& all) { return all.y.fetch_add(0, acquire) == 1; });
  expect_nothing(
      [](Looked& all) { return all.data.read() == 1 && all.y.fetch_add(0, acquire) == 1; });
  expect_nothing([](Looked& all) {
    const bool is_set = all.y.fetch_add(0, acquire) == 1;
    fence(relaxed);
    return is_set;
  });
}

/// One thread stores `values`, of which the last is 3. What the other one looks for, and remembers
/// from turn to turn, comes back to what it was.
void look_for_three(const std::vector<int>& values, bool looks_first) {
  atomic<int> x{0, "x"};
  const std::function<void()> look = [&] {
    int before = 0, now = 0;
    while ((now = x.load(relaxed)) != 3) before = now;
    sometimes("it saw another one first", before != 0);
  };
  const std::function<void()> store = [&] {
    for (const int value : values) x.store(value, relaxed);
  };
  thread first(looks_first ? look : store);
  thread second(looks_first ? store : look);
  first.join();
  second.join();
  check(x.load(relaxed) == 3, "all are stored");
}

TEST(TakenBack, a_loop_may_come_back_to_where_it_was) {
  for (const std::vector<int>& values :
       {std::vector{1, 0, 3}, std::vector{1, 2, 1, 3}, std::vector{1, 0, 1, 0, 3}}) {
    const Report looks = explore({}, [&] { look_for_three(values, true); });
    const Report stores = explore({}, [&] { look_for_three(values, false); });
    EXPECT_TRUE(looks.ok()) << looks.to_text();
    EXPECT_TRUE(stores.ok()) << stores.to_text();
    EXPECT_EQ(looks.executions, stores.executions);
    for (const Strategy strategy : walks) {
      Options options;
      options.strategy = strategy;
      const Report sampled = explore(options, [&] { look_for_three(values, true); });
      EXPECT_FALSE(sampled.violation) << sampled.to_text();
    }
  }
}

/// Loops of several steps per turn.
void spin_with_fence(atomic<int>& x) {
  while (x.load(relaxed) == 0) fence(acquire);
}
void spin_at_two(atomic<int>& x, atomic<int>& y) {
  while (x.load(relaxed) == 0 && y.load(relaxed) == 0) fence(acquire);
}

/// So that walks know the loops, too.
void find_loops() {
  expect_pass([] {
    atomic<int> x{0}, y{0};
    thread setter([&] {
      y.store(1, relaxed);
      x.store(1, relaxed);
    });
    spin_with_fence(x);
    spin_at_two(x, y);
    setter.join();
  });
}

TEST(TakenBack, a_walk_keeps_what_others_do_within_a_turn) {
  find_loops();
  for (const Strategy strategy : walks) {
    Options options;
    options.strategy = strategy;
    const Report report = explore(options, [] {
      atomic<int> x{0, "x"}, y{0, "y"}, z{0, "z"};
      thread one([&] { spin_with_fence(x); });
      thread two([&] { spin_at_two(y, z); });
      thread three([&] { spin_at_two(z, y); });
      z.store(0, relaxed);
      x.store(1, relaxed);
      y.store(1, relaxed);
      one.join();
      two.join();
      three.join();
      check(z.load(relaxed) == 0 && x.load(relaxed) + y.load(relaxed) == 2, "all is stored");
    });
    EXPECT_FALSE(report.violation) << report.to_text();
    EXPECT_EQ(report.executions, options.samples) << report.to_text();
  }
}

TEST(TakenBack, what_a_walk_has_kept_is_replayed) {
  find_loops();
  for (const Strategy strategy : walks) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      Options options;
      options.strategy = strategy;
      options.seed = seed;
      options.minimise_seconds = 0;
      const auto race = [] {
        atomic<int> x{0, "x"}, y{0, "y"};
        cell<int> data{0, "data"};
        thread setter([&] {
          y.store(0, relaxed);
          data.write(1);
          x.store(1, relaxed);
        });
        spin_at_two(x, y);
        data.read();
        setter.join();
      };
      expect_violation(ViolationKind::data_race, options, race);
      const auto deadlock = [] {
        atomic<int> x{0, "x"}, y{0, "y"};
        thread other([&] {
          y.store(0, relaxed);
          x.store(0, relaxed);
        });
        spin_at_two(x, y);
        other.join();
      };
      expect_violation(ViolationKind::deadlock, options, deadlock);
    }
  }
}

/// Turns that are kept are no sign of a loop that may change something, nor of one behind it.
TEST(TakenBack, a_walk_may_keep_any_number_of_turns) {
  find_loops();
  for (const Strategy strategy : walks) {
    Options options;
    options.strategy = strategy;
    options.spin_limit = 20;
    options.samples = 10;
    const Report report = explore(options, [] {
      atomic<int> x{0, "x"}, y{0, "y"}, z{0, "z"};
      cell<int> data{1, "data"};
      thread one([&] { spin_with_fence(x); });
      thread two([&] {
        spin_at_two(x, y);
        check(data.read() == 1, "a loop is left");
        await([&] { return x.load(relaxed) == 1; });
      });
      for (int i = 0; i < 1000; ++i) z.store(i, relaxed);
      x.store(1, relaxed);
      one.join();
      two.join();
    });
    EXPECT_FALSE(report.violation) << report.to_text();
    EXPECT_EQ(report.executions, options.samples) << report.to_text();
  }
}

TEST(TakenBack, they_are_all_replayed) {
  find_loops();
  Options options;
  options.strategy = Strategy::random_walk;
  options.spin_limit = 20;
  options.minimise_seconds = options.hint_seconds = 0;
  expect_violation(ViolationKind::data_race, options, [] {
    atomic<int> x{0, "x"}, y{0, "y"}, z{0, "z"};
    cell<int> data{0, "data"};
    thread setter([&] {
      for (int i = 0; i < 1000; ++i) z.store(i, relaxed);
      data.write(1);
      x.store(1, relaxed);
    });
    spin_at_two(x, y);
    data.read();
    setter.join();
  });
}

}  // namespace
}  // namespace pto2::model
