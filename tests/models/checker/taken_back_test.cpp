// What a wait that has failed takes back out of the graph is its own: others' steps stay.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <pto2/checker.hpp>
#include <vector>

#include "tests/models/checker/expectations.hpp"

namespace pto2::model {
namespace {

using enum std::memory_order;

constexpr std::array walks = {Strategy::random_walk, Strategy::pct, Strategy::bursts};

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

}  // namespace
}  // namespace pto2::model
