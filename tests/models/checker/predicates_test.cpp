// What predicates do besides looking at atomics: they assume, idle, and use cells.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <pto2/checker.hpp>
#include <string>

#include "tests/models/checker/expectations.hpp"

namespace pto2::model {
namespace {

using enum std::memory_order;

/// A reader of two values that are written one after the other; `look` is what its predicate does
/// with the value it sees.
template <class Look>
void read_of_two(Look&& look) {
  atomic<int> x{0};
  int seen = 0;
  thread writer([&] {
    x.store(1, relaxed);
    x.store(2, relaxed);
  });
  thread reader([&] {
    await([&] {
      seen = x.load(relaxed);
      return look(seen);
    });
  });
  writer.join();
  reader.join();
  sometimes("0", seen == 0);
  sometimes("2", seen == 2);
  check(seen != 1, "that is cut");
}

/// The values that the predicate is tried on are those of other executions.
TEST(Predicates, an_assumption_cuts_the_executions_in_which_it_is_false) {
  const auto body = [] {
    read_of_two([](int seen) {
      assume(seen != 1);
      return true;
    });
  };
  const Report report = explore(Options{}, body);
  EXPECT_TRUE(report.ok()) << report.to_text();
  EXPECT_EQ(report.executions, 2U);
  Options walk;
  walk.strategy = Strategy::random_walk;
  EXPECT_FALSE(explore(walk, body).violation);
}

TEST(Predicates, so_does_one_that_idles) {
  const Report report = explore(Options{}, [] {
    read_of_two([](int seen) {
      if (seen == 1) idle();
      return true;
    });
  });
  EXPECT_TRUE(report.ok()) << report.to_text();
  EXPECT_EQ(report.executions, 2U);
}

/// Whoever assumes has taken the update before it, as one outside of a predicate has.
TEST(Predicates, an_assumption_does_not_hide_the_update_before_it) {
  for (const bool awaits : {true, false}) {
    const auto body = [awaits](int refused) {
      atomic<int> x{0};
      int first = 0, second = 0;
      const auto step = [&](int& previous) {
        previous = x.fetch_add(1, relaxed);
        assume(previous != refused);
        return true;
      };
      const auto take = [&](int& previous) {
        if (!awaits) return void(step(previous));
        await([&] { return step(previous); });
      };
      thread one([&] { take(first); }), two([&] { take(second); });
      one.join();
      two.join();
      sometimes("first", first == 0);
      sometimes("second", first == 1);
    };
    const Report all = explore(Options{}, [&] { body(2); });
    EXPECT_TRUE(all.ok()) << all.to_text();
    EXPECT_EQ(all.executions, 2U);
    const Report none = explore(Options{}, [&] { body(1); });
    EXPECT_EQ(none.reason, "no execution was complete") << none.to_text();
    EXPECT_EQ(none.executions, 0U);
  }
  expect_violation(ViolationKind::check_failed, [] {
    atomic<int> x{0};
    thread other([&] { check(x.load(relaxed) == 0, "nothing is seen"); });
    await([&] {
      x.fetch_add(1, relaxed);
      assume(false);
      return true;
    });
    other.join();
  });
}

/// An assumption that cuts the next turn of who idles is no deadlock.
TEST(Predicates, who_idles_and_would_be_cut_is_no_deadlock) {
  const Report report = explore(Options{}, [] {
    atomic<int> x{0};
    while (x.load(relaxed) == 0) {
      idle();
      assume(false);
    }
  });
  EXPECT_FALSE(report.violation) << report.to_text();
  EXPECT_EQ(report.blocked, 1U);
}

}  // namespace
}  // namespace pto2::model
